import { eachBounded } from '../../actors/domain/each-bounded.js';
import { compareIds } from '../../actors/domain/ids.js';
import type { IdRow, IdSpan, RangeOptions, ReadTables, Row } from '../../store/port.js';
import type { Columns, KeyOf, Table } from '../../store/table.js';
import type { PageBounds } from './bounds.js';
import { type Soon, soon } from './soon.js';

/** A row of a list that is ordered by row ids. */
export type Entry<V> = IdRow<V>;

/** Reads a list in one direction, each row once. */
export interface Cursor<E> {
  /** Returns the next rows, at most `count`. An empty result means the end. */
  next(count: number): Soon<readonly E[]>;
}

/** Bounds of one read. */
export type Span = IdSpan;

/** Bounds of a whole list, newest first. */
export const ALL = { before: undefined, after: undefined, upwards: false } as const;

export type ReadPart<P, E> = (part: P, span: Span, limit: number) => Soon<readonly E[]>;

/** Partitions in the direction of reading; finding the next one may take a read. */
export interface Parts<P> {
  next(): Soon<IteratorResult<P>>;
}

/** Reads rows of one partition, synchronously if they are in memory. */
export function rangeSoon<P extends Columns, C extends Columns, V>(
  tables: ReadTables,
  table: Table<P, C, V>,
  partition: KeyOf<P>,
  options: RangeOptions<C>,
): Soon<readonly Row<P, C, V>[]> {
  return tables.peekRange?.(table, partition, options) ?? tables.range(table, partition, options);
}

/**
 * Reads rows of one partition by the id that orders them, synchronously if they are in memory. `column` is the name of
 * the id's column.
 */
export function entriesSoon<P extends Columns, Name extends string, V>(
  tables: ReadTables,
  table: Table<P, { [K in Name]: 'id' }, V>,
  partition: KeyOf<P>,
  column: Name,
  span: Span,
  limit: number,
): Soon<readonly Entry<V>[]> {
  const held = tables.peekIds?.(table, partition, span, limit);
  if (held !== undefined) return held;
  const { before, after, reverse } = span;
  const bound = (id: string | undefined) => (id === undefined ? undefined : { [column]: id });
  const options = { before: bound(before), after: bound(after), reverse, limit };
  const entry = ({ key, value }: Row<P, { [K in Name]: 'id' }, V>): Entry<V> => ({
    id: (key as Readonly<Record<string, string>>)[column] ?? '',
    value,
  });
  return tables.range(table, partition, options as RangeOptions<{ [K in Name]: 'id' }>).then((rows) => rows.map(entry));
}

/** Reads partitions that follow one another in the order of their rows' ids: eras, buckets. */
export class PartsCursor<P, E extends { readonly id: string }> implements Cursor<E> {
  readonly #parts: Parts<P>;
  readonly #read: ReadPart<P, E>;
  #span: Span;
  #part: P | undefined;

  /** `parts` must be in the direction of reading. */
  constructor(parts: Parts<P> | readonly P[], bounds: Omit<PageBounds, 'limit'>, read: ReadPart<P, E>) {
    this.#parts = 'next' in parts ? parts : parts.values();
    this.#read = read;
    this.#span = { before: bounds.before, after: bounds.after, reverse: !bounds.upwards };
  }

  next(count: number): Soon<readonly E[]> {
    return this.#fill([], count);
  }

  #fill(found: readonly E[], count: number): Soon<readonly E[]> {
    let all = found;
    while (all.length < count) {
      if (this.#part === undefined) {
        const part = this.#parts.next();
        if (part instanceof Promise) {
          const sofar = all;
          return part.then((late) => (this.#opened(late) ? this.#fill(sofar, count) : sofar));
        }
        if (!this.#opened(part)) break;
      }
      const wanted = count - all.length;
      const rows = this.#read(this.#part as P, this.#span, wanted);
      if (rows instanceof Promise) {
        const sofar = all;
        return rows.then((late) => this.#fill(this.#with(sofar, late, wanted), count));
      }
      all = this.#with(all, rows, wanted);
    }
    return all;
  }

  #opened(part: IteratorResult<P>): boolean {
    if (part.done === true) return false;
    this.#part = part.value;
    return true;
  }

  #with(found: readonly E[], rows: readonly E[], wanted: number): readonly E[] {
    const last = rows.at(-1);
    if (last !== undefined) {
      const { before, after, reverse } = this.#span;
      this.#span = reverse ? { before: last.id, after, reverse } : { before, after: last.id, reverse };
    }
    if (rows.length < wanted) this.#part = undefined;
    return found.length === 0 ? rows : [...found, ...rows];
  }
}

/** Rows that one source of a merge has ready. */
interface Head<E> {
  readonly cursor: Cursor<E>;
  rows: readonly E[];
  at: number;
}

/** Concurrent store reads of one request: prevents one request from filling the store's queues. */
export const READS_AT_ONCE_MAX = 32;

/** Merges ordered cursors into one, without removing duplicates. */
export class MergedCursor<E extends { readonly id: string }> implements Cursor<E> {
  readonly #cursors: readonly Cursor<E>[];
  readonly #upwards: boolean;
  readonly #chunk: number;
  /** Sources sorted by their next row, the first one last. Unset before the first read. */
  #heads: Head<E>[] | undefined;

  /** `chunk` is the number of rows read ahead from each source. */
  constructor(cursors: readonly Cursor<E>[], upwards: boolean, chunk: number) {
    this.#cursors = cursors;
    this.#upwards = upwards;
    this.#chunk = chunk;
  }

  next(count: number): Soon<readonly E[]> {
    if (this.#heads !== undefined) return this.#take(this.#heads, [], count);
    return soon(this.#start(), (heads) => {
      this.#heads = heads;
      return this.#take(heads, [], count);
    });
  }

  #take(heads: Head<E>[], found: E[], count: number): Soon<readonly E[]> {
    while (found.length < count) {
      const head = heads.pop();
      const row = head?.rows[head.at];
      if (head === undefined || row === undefined) break;
      found.push(row);
      head.at++;
      if (head.at === head.rows.length) {
        const further = head.cursor.next(this.#chunk);
        if (further instanceof Promise) {
          return further.then((rows) => {
            this.#refilled(heads, head, rows);
            return this.#take(heads, found, count);
          });
        }
        this.#refilled(heads, head, further);
      } else this.#putBack(heads, head);
    }
    return found;
  }

  #refilled(heads: Head<E>[], head: Head<E>, rows: readonly E[]): void {
    head.rows = rows;
    head.at = 0;
    if (rows.length > 0) this.#putBack(heads, head);
  }

  #putBack(heads: Head<E>[], head: Head<E>): void {
    heads.splice(this.#place(heads, head), 0, head);
  }

  /** Reads the first rows of all sources, synchronously if they are in memory. */
  #start(): Soon<Head<E>[]> {
    const heads: Head<E>[] = [];
    for (const [index, cursor] of this.#cursors.entries()) {
      const rows = cursor.next(this.#chunk);
      if (rows instanceof Promise) return this.#startLater(heads, cursor, rows, this.#cursors.slice(index + 1));
      heads.push({ cursor, rows, at: 0 });
    }
    return this.#ready(heads);
  }

  async #startLater(
    heads: Head<E>[],
    first: Cursor<E>,
    reading: Promise<readonly E[]>,
    others: readonly Cursor<E>[],
  ): Promise<Head<E>[]> {
    const rest = eachBounded(others, READS_AT_ONCE_MAX - 1, async (cursor) => ({
      cursor,
      rows: await cursor.next(this.#chunk),
      at: 0,
    }));
    const [rows, later] = await Promise.all([reading, rest]);
    return this.#ready([...heads, { cursor: first, rows, at: 0 }, ...later]);
  }

  #ready(heads: Head<E>[]): Head<E>[] {
    return heads.filter((head) => head.rows.length > 0).sort((a, b) => this.#compare(a, b));
  }

  #place(heads: readonly Head<E>[], head: Head<E>): number {
    let low = 0;
    let high = heads.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = heads[middle];
      if (other !== undefined && this.#compare(other, head) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compare(a: Head<E>, b: Head<E>): number {
    const order = compareIds(a.rows[a.at]?.id ?? '', b.rows[b.at]?.id ?? '');
    return this.#upwards ? -order : order;
  }
}

/** Removes duplicates from a merge whose sources may contain the same rows. */
export class DistinctCursor<E extends { readonly id: string }> implements Cursor<E> {
  readonly #merged: Cursor<E>;
  #last = '';

  constructor(merged: Cursor<E>) {
    this.#merged = merged;
  }

  next(count: number): Soon<readonly E[]> {
    return soon(this.#merged.next(count), (rows) => {
      const fresh: E[] = [];
      for (const row of rows) {
        if (row.id !== this.#last) fresh.push(row);
        this.#last = row.id;
      }
      return fresh.length > 0 || rows.length === 0 ? fresh : this.next(count);
    });
  }
}

/** A cursor that can also show the rows that it will return next. */
export class AheadCursor<E> implements Cursor<E> {
  #ready: readonly E[] = [];

  constructor(private readonly cursor: Cursor<E>) {}

  next(count: number): Soon<readonly E[]> {
    if (this.#ready.length === 0) return this.cursor.next(count);
    return soon(this.ahead(count), (rows) => {
      this.#ready = this.#ready.slice(rows.length);
      return rows;
    });
  }

  /** Returns the next rows without consuming them; fewer than `count` only at the end. */
  ahead(count: number): Soon<readonly E[]> {
    const ready = this.#ready;
    if (ready.length >= count) return ready.length === count ? ready : ready.slice(0, count);
    return soon(this.cursor.next(count - ready.length), (rows) => {
      if (rows.length === 0) return ready;
      this.#ready = ready.length === 0 ? rows : [...ready, ...rows];
      return this.ahead(count);
    });
  }
}
