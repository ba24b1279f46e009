import type { PageBounds } from './bounds.js';
import type { Cursor } from './cursor.js';
import { hasRoom, roundBound } from './round-bound.js';
import { type Soon, soon } from './soon.js';

/** A page of a list, newest first. */
export interface Page<T> {
  readonly items: readonly T[];
  /**
   * Keys for the Link header: the first and the last row shown. Hidden rows are never keys, because their ids would
   * reveal when somebody wrote something that is not for the viewer. If reading stops before the page is full, the key
   * is a round number that is no row's id.
   */
  readonly newest: string | undefined;
  readonly oldest: string | undefined;
  /** False if nothing older exists. */
  readonly more: boolean;
}

/** Converts rows to items; undefined for rows that are not for this viewer. */
export type Select<E, T> = (rows: readonly E[]) => Soon<readonly (T | undefined)[]>;

/** Rounds of reading for one page. A page that is still not full is returned as it is, with a Link that continues. */
export const READ_ROUNDS_MAX = 8;
/** Minimum number of rows of a round, because few of them may be shown. */
const ROUND_ROWS_MIN = 10;
/**
 * Largest factor by which a round reads more rows than the page lacks, if few rows are wanted. Skipping a row is cheap.
 */
const ROUND_TIMES_MAX = 4;

export const emptyPage: Page<never> = { items: [], newest: undefined, oldest: undefined, more: false };

/**
 * Reads until the page is full, the list ends, or READ_ROUNDS_MAX; synchronously if all rows are in memory. `isWanted`
 * filters by the row alone, before `select` is called.
 */
export function readPage<E extends { readonly id: string }, T>(
  cursor: Cursor<E>,
  bounds: PageBounds,
  select: Select<E, T>,
  isWanted?: (row: E) => boolean,
): Soon<Page<T>> {
  return new PageReading(cursor, bounds, select, isWanted).read(0);
}

class PageReading<E extends { readonly id: string }, T> {
  readonly #items: T[] = [];
  #first: string | undefined;
  #last: string | undefined;
  /** Id of the last row examined, id of the last row shown or examined before it, and the rows in between. */
  #passed: string | undefined;
  #before: string | undefined;
  #between: readonly E[] = [];
  #ended = false;
  /** Rows read but not examined. */
  #ahead: readonly E[] = [];
  #looked = 0;
  #wanted = 0;

  constructor(
    private readonly cursor: Cursor<E>,
    private readonly bounds: PageBounds,
    private readonly select: Select<E, T>,
    private readonly isWanted: ((row: E) => boolean) | undefined,
  ) {}

  read(round: number): Soon<Page<T>> {
    if (this.#items.length === this.bounds.limit || this.#ended) return this.#page();
    if (this.#ahead.length > 0) return soon(this.#look(this.#ahead), () => this.read(round));
    if (round === READ_ROUNDS_MAX) return this.#page();
    return soon(this.cursor.next(this.#count()), (rows) => {
      this.#ended = rows.length === 0;
      return soon(this.#look(rows), () => this.read(round + 1));
    });
  }

  #page(): Page<T> {
    const [items, first] = [this.#items, this.#first];
    const last = this.#ended || this.#passed === this.#last ? this.#last : this.#goingOn();
    return this.bounds.upwards
      ? { items: items.reverse(), newest: last, oldest: first, more: true }
      : { items, newest: first, oldest: last, more: !this.#ended };
  }

  /** Returns the bound at which the next page begins if this one ends with hidden rows. */
  #goingOn(): string | undefined {
    if (this.#passed === undefined) return undefined;
    const { before, after, upwards } = this.bounds;
    const ids = this.#between.map(({ id }) => id);
    const round = roundBound(this.#passed, this.#before ?? (upwards ? after : before), upwards, ids);
    return round ?? this.#before ?? this.#passed;
  }

  /** Number of wanted rows that the page lacks. */
  get #missing(): number {
    return Math.max(ROUND_ROWS_MIN, this.bounds.limit - this.#items.length);
  }

  /** Returns the number of rows to read next, from the share of wanted rows so far. */
  #count(): number {
    const times = Math.min(ROUND_TIMES_MAX, this.#looked / Math.max(1, this.#wanted));
    return this.#looked === 0 ? this.#missing : Math.ceil(this.#missing * times);
  }

  #look(all: readonly E[]): Soon<void> {
    const { isWanted } = this;
    const missing = this.#missing;
    let rows = all;
    let wanted = all;
    this.#ahead = [];
    if (isWanted !== undefined) {
      const found: E[] = [];
      let to = 0;
      while (to < all.length && found.length < missing) {
        const row = all[to++] as E;
        if (isWanted(row)) found.push(row);
      }
      wanted = found;
      if (to < all.length) {
        rows = all.slice(0, to);
        this.#ahead = all.slice(to);
      }
    }
    this.#looked += rows.length;
    this.#wanted += wanted.length;
    if (wanted.length === 0) this.#take(rows, wanted, []);
    else return soon(this.select(wanted), (selected) => this.#take(rows, wanted, selected));
  }

  #take(rows: readonly E[], wanted: readonly E[], selected: readonly (T | undefined)[]): void {
    const { limit } = this.bounds;
    let place = 0;
    let index = 0;
    while (index < rows.length && this.#items.length < limit) {
      const row = rows[index++] as E;
      if (row !== wanted[place]) continue;
      const item = selected[place++];
      if (item === undefined) continue;
      this.#items.push(item);
      this.#last = this.#passed = row.id;
      this.#first ??= row.id;
    }
    const end = rows[index - 1]?.id;
    if (end === undefined || end === this.#passed) return;
    const passed = this.#passed;
    // If no number is free between the skipped rows, the skipped rows before them count as well.
    const isApart = passed === undefined || passed === this.#last || hasRoom(passed, end, rows.length);
    if (isApart) this.#before = passed;
    this.#passed = end;
    this.#between = isApart ? rows : [...this.#between, ...rows];
  }
}

/** Returns a page of a list that is completely in memory, in any order. */
export function pageOf<E extends { readonly id: string }>(rows: readonly E[], bounds: PageBounds): Page<E> {
  const inside = rows
    .filter((row) => (bounds.before === undefined || row.id < bounds.before) && row.id > (bounds.after ?? ''))
    .sort((a, b) => (a.id < b.id ? 1 : -1));
  const items = bounds.upwards ? inside.slice(-bounds.limit) : inside.slice(0, bounds.limit);
  const more = bounds.upwards || inside.length > items.length;
  return { items, newest: items[0]?.id, oldest: items.at(-1)?.id, more };
}
