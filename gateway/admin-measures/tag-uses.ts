import { isId, storedId } from '../../actors/domain/ids.js';
import { namedHashtag } from '../../actors/domain/text/hashtag.js';
import { statuses, tagNumbers } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import { tagsCursor } from '../timelines/tag.js';
import { idsOf, type Period } from './period.js';

/** Uses of one hashtag that one question looks at, newest first. */
const USES_MAX = 20_000;
/** Statuses whose languages are looked at, newest first: they are read whole. */
const SAMPLE_MAX = 2_000;
const READ_AT_ONCE = 500;

/** A public use of a hashtag. */
export interface TagUse {
  /** The status. */
  readonly id: string;
  readonly accountId: string;
}

/** The hashtag that somebody means: one that was used in public, by its id, or any by its name. @throws Unavailable */
export async function tagNamed(services: Services, idOrName: string): Promise<string | undefined> {
  if (!isId(idOrName)) return namedHashtag(idOrName);
  return (await services.tables.get(tagNumbers, { number: storedId(idOrName) }))?.name;
}

/** In public within a period, newest first. */
export async function tagUses(services: Services, tag: string, period: Period): Promise<readonly TagUse[]> {
  if (period.last < period.first) return [];
  const cursor = tagsCursor(services.tables, [tag], idsOf(period));
  const uses: TagUse[] = [];
  while (uses.length < USES_MAX) {
    const rows = await cursor.next(READ_AT_ONCE);
    if (rows.length === 0) break;
    for (const { id, value } of rows) uses.push({ id, accountId: value.accountId });
  }
  return uses;
}

/** The languages of the newest of them, one for each that says its own. */
export async function languagesOf(services: Services, uses: readonly TagUse[]): Promise<string[]> {
  const languages: string[] = [];
  const sample = uses.slice(0, SAMPLE_MAX);
  for (let start = 0; start < sample.length; start += READ_AT_ONCE) {
    const keys = sample.slice(start, start + READ_AT_ONCE).map(({ id }) => ({ status: id }));
    for (const record of await services.tables.getMany(statuses, keys))
      if (record?.deleted === false && record.language !== undefined) languages.push(record.language);
  }
  return languages;
}
