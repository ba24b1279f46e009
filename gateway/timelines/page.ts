import type { PageBounds } from '../http/paging.js';
import { type Soon, soon } from '../soon.js';
import type { Cursor } from './cursor.js';

/** A page of a list, newest first. */
export interface Page<T> {
  readonly items: readonly T[];
  /**
   * Keys for Link: of the first and the last row shown. What was passed over has none there, or whoever reads would learn
   * when something was said that is not for them; only where reading stopped without a full page is it where to go on.
   */
  readonly newest: string | undefined;
  readonly oldest: string | undefined;
  /** False when it is known that nothing older exists. */
  readonly more: boolean;
}

/** What becomes of rows: items to show, or undefined for those that are not for this viewer. */
export type Select<E, T> = (rows: readonly E[]) => Soon<readonly (T | undefined)[]>;

/** Rounds of reading for one page. A page that is still not full is answered as it is, its Link going on. */
export const READ_ROUNDS_MAX = 8;
/** Rows of a round at least, since few of them may be shown. */
const ROUND_ROWS_MIN = 10;

export const emptyPage: Page<never> = { items: [], newest: undefined, oldest: undefined, more: false };

/** Reads until the page is full, the list ends, or READ_ROUNDS_MAX; at once where all of it is in memory. */
export function readPage<E extends { readonly id: string }, T>(
  cursor: Cursor<E>,
  bounds: PageBounds,
  select: Select<E, T>,
): Soon<Page<T>> {
  const items: T[] = [];
  let first: string | undefined;
  let last: string | undefined;
  let passed: string | undefined;
  let ended = false;
  const take = (rows: readonly E[], selected: readonly (T | undefined)[]) => {
    ended = rows.length === 0;
    for (let index = 0; index < rows.length && items.length < bounds.limit; index++) {
      passed = rows[index]?.id;
      const item = selected[index];
      if (item === undefined) continue;
      items.push(item);
      last = passed;
      first ??= last;
    }
  };
  const page = (): Page<T> => {
    if (!ended) last = passed;
    return bounds.upwards
      ? { items: items.reverse(), newest: last, oldest: first, more: true }
      : { items, newest: first, oldest: last, more: !ended };
  };
  const read = (round: number): Soon<Page<T>> => {
    if (round === READ_ROUNDS_MAX || items.length === bounds.limit || ended) return page();
    return soon(cursor.next(Math.max(ROUND_ROWS_MIN, bounds.limit - items.length)), (rows) =>
      soon(select(rows), (selected) => {
        take(rows, selected);
        return read(round + 1);
      }),
    );
  };
  return read(0);
}

/** A page of a list that is in memory as a whole, in any order. */
export function pageOf<E extends { readonly id: string }>(rows: readonly E[], bounds: PageBounds): Page<E> {
  const inside = rows
    .filter((row) => (bounds.before === undefined || row.id < bounds.before) && row.id > (bounds.after ?? ''))
    .sort((a, b) => (a.id < b.id ? 1 : -1));
  const items = bounds.upwards ? inside.slice(-bounds.limit) : inside.slice(0, bounds.limit);
  const more = bounds.upwards || inside.length > items.length;
  return { items, newest: items[0]?.id, oldest: items.at(-1)?.id, more };
}
