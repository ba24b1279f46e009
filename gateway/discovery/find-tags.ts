import { namedHashtag } from '../../actors/domain/text/hashtag.js';
import { startsOf, wordStart } from '../../actors/domain/text/words.js';
import type { ReadTables } from '../../store/port.js';
import { tagNames } from '../../store/tables.js';
import { rangeSoon } from '../paging/cursor.js';
import { type Soon, soon, together } from '../paging/soon.js';

/** Hashtags read for one query. */
const ROWS_MAX = 400;
/** Sorts after every possible continuation of a name. */
const AFTER_ALL = '\u{10ffff}';

/** Finds hashtags by prefix: the exact name first, then the most recently used. */
export function findTags(
  tables: ReadTables,
  question: string,
  wanted: { readonly limit: number; readonly offset: number; readonly keep: (name: string) => boolean },
): Soon<string[]> {
  const name = namedHashtag(question.trim());
  if (name === undefined) return [];
  const starts = startsOf(name);
  const limit = Math.ceil(ROWS_MAX / starts.length);
  const range = { after: { tag: name }, before: { tag: `${name}${AFTER_ALL}` }, limit };
  const begin = (start: string) =>
    soon(rangeSoon(tables, tagNames, { start }, range), (rows) =>
      rows.map(({ key, value }) => [key.tag, value.atMs] as const),
    );
  const looked = together<[boolean, readonly (readonly (readonly [string, number])[])[]]>([
    isThere(tables, wordStart(name), name),
    together<(readonly (readonly [string, number])[])[]>(starts.map(begin)),
  ]);
  return soon(looked, ([isExact, parts]) => {
    const found = parts
      .flat()
      .sort(([, a], [, b]) => b - a)
      .map(([tag]) => tag);
    if (isExact) found.unshift(name);
    const { offset, keep } = wanted;
    return found.filter(keep).slice(offset, offset + wanted.limit);
  });
}

function isThere(tables: ReadTables, start: string, tag: string): Soon<boolean> {
  const known = tables.peekOne?.(tagNames, { start, tag });
  return known === undefined
    ? tables.get(tagNames, { start, tag }).then((row) => row !== undefined)
    : known.value !== undefined;
}
