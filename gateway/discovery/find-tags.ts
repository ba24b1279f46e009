import { namedHashtag } from '../../actors/domain/hashtag.js';
import { wordStart } from '../../actors/domain/words.js';
import type { ReadTables } from '../../store/port.js';
import { tagNames } from '../../store/tables.js';

/** Hashtags looked at for one question. */
const ROWS_MAX = 400;
/** Follows every possible continuation of a name. */
const AFTER_ALL = '\u{10ffff}';

/** Hashtags that begin so, the one named exactly so first, then those used last. */
export async function findTags(
  tables: ReadTables,
  question: string,
  wanted: { readonly limit: number; readonly offset: number; readonly keep: (name: string) => boolean },
): Promise<string[]> {
  const name = namedHashtag(question.trim());
  if (name === undefined) return [];
  const start = wordStart(name);
  const range = { after: { tag: name }, before: { tag: `${name}${AFTER_ALL}` }, limit: ROWS_MAX };
  const [exact, rows] = await Promise.all([
    tables.get(tagNames, { start, tag: name }),
    tables.range(tagNames, { start }, range),
  ]);
  const others = rows.sort((a, b) => b.value.atMs - a.value.atMs).map(({ key }) => key.tag);
  const { limit, offset, keep } = wanted;
  const found = [...(exact === undefined ? [] : [name]), ...others];
  return found.filter(keep).slice(offset, offset + limit);
}
