import { isId, storedId } from '../../actors/domain/ids.js';
import { namedHashtag } from '../../actors/domain/text/hashtag.js';
import { statuses, tagNumbers } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import { tagsCursor } from '../paging/tags-cursor.js';
import { idsOf, type Period } from './period.js';

/** Uses of one hashtag read for one query, newest first. */
const USES_MAX = 20_000;
/** Statuses whose languages are read, newest first: each is loaded completely. */
const SAMPLE_MAX = 2_000;
const READ_AT_ONCE = 500;

/** A public use of a hashtag. */
export interface TagUse {
  /** Id of the status. */
  readonly id: string;
  readonly accountId: string;
}

/** Returns the name of a hashtag: by id if it was used in public, or any by name. @throws Unavailable */
export async function tagNamed(services: Pick<Services, 'tables'>, idOrName: string): Promise<string | undefined> {
  if (!isId(idOrName)) return namedHashtag(idOrName);
  return (await services.tables.get(tagNumbers, { number: storedId(idOrName) }))?.name;
}

/** Returns the public uses within a period, newest first. */
export async function tagUses(
  services: Pick<Services, 'tables'>,
  tag: string,
  period: Period,
): Promise<readonly TagUse[]> {
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

/** Returns the languages of the newest uses, one for each status with a language. */
export async function languagesOf(services: Pick<Services, 'tables'>, uses: readonly TagUse[]): Promise<string[]> {
  const languages: string[] = [];
  const sample = uses.slice(0, SAMPLE_MAX);
  for (let start = 0; start < sample.length; start += READ_AT_ONCE) {
    const keys = sample.slice(start, start + READ_AT_ONCE).map(({ id }) => ({ status: id }));
    for (const record of await services.tables.getMany(statuses, keys))
      if (record?.deleted === false && record.language !== undefined) languages.push(record.language);
  }
  return languages;
}
