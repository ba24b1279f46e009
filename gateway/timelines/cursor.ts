import { compareIds } from '../../actors/domain/ids.js';
import type { PageBounds } from '../http/paging.js';
import type { Soon } from '../soon.js';

/** A row of a list that is ordered by its rows' ids. */
export interface Entry<V> {
  readonly id: string;
  readonly value: V;
}

/** Reads a list in one direction, each row once. */
export interface Cursor<E> {
  /** The next rows, at most `count`; none at all means the end. */
  next(count: number): Soon<readonly E[]>;
}

/** Bounds of one read, exclusive; `reverse`: newest first. */
export interface Span {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly reverse: boolean;
}

export type ReadPart<P, E> = (part: P, span: Span, limit: number) => Promise<readonly E[]>;

/** Reads partitions that follow one another in the order of their rows' ids: eras, buckets. */
export class PartsCursor<P, E extends { readonly id: string }> implements Cursor<E> {
  readonly #parts: AsyncIterator<P> | Iterator<P>;
  readonly #read: ReadPart<P, E>;
  #span: Span;
  #part: P | undefined;

  /** `parts` in the direction of reading. */
  constructor(parts: AsyncIterable<P> | Iterable<P>, bounds: Omit<PageBounds, 'limit'>, read: ReadPart<P, E>) {
    this.#parts = Symbol.asyncIterator in parts ? parts[Symbol.asyncIterator]() : parts[Symbol.iterator]();
    this.#read = read;
    this.#span = { before: bounds.before, after: bounds.after, reverse: !bounds.upwards };
  }

  async next(count: number): Promise<readonly E[]> {
    const found: E[] = [];
    while (found.length < count) {
      if (this.#part === undefined) {
        const part = await this.#parts.next();
        if (part.done) break;
        this.#part = part.value;
      }
      const wanted = count - found.length;
      const rows = await this.#read(this.#part, this.#span, wanted);
      found.push(...rows);
      const last = rows.at(-1);
      if (last !== undefined) {
        this.#span = this.#span.reverse ? { ...this.#span, before: last.id } : { ...this.#span, after: last.id };
      }
      if (rows.length < wanted) this.#part = undefined;
    }
    return found;
  }
}

/** Rows that one source of a merge holds ready. */
interface Head<E> {
  readonly cursor: Cursor<E>;
  rows: readonly E[];
  at: number;
}

/** Store reads of one request at a time: keeps one request from filling the store's queues. */
export const READS_AT_ONCE_MAX = 32;

/** Merges ordered cursors into one, each row once. */
export class MergedCursor<E extends { readonly id: string }> implements Cursor<E> {
  readonly #cursors: readonly Cursor<E>[];
  readonly #upwards: boolean;
  readonly #chunk: number;
  /** The best one last. Unset before the first read. */
  #heads: Head<E>[] | undefined;

  /** `chunk`: rows read ahead from each source. */
  constructor(cursors: readonly Cursor<E>[], upwards: boolean, chunk: number) {
    this.#cursors = cursors;
    this.#upwards = upwards;
    this.#chunk = chunk;
  }

  async next(count: number): Promise<readonly E[]> {
    this.#heads ??= await this.#start();
    const found: E[] = [];
    while (found.length < count) {
      const head = this.#heads.pop();
      const row = head?.rows[head.at];
      if (head === undefined || row === undefined) break;
      found.push(row);
      head.at++;
      if (head.at === head.rows.length) {
        head.rows = await head.cursor.next(this.#chunk);
        head.at = 0;
      }
      if (head.rows.length > 0) this.#heads.splice(this.#place(this.#heads, head), 0, head);
    }
    return found;
  }

  async #start(): Promise<Head<E>[]> {
    const heads = await eachBounded(this.#cursors, READS_AT_ONCE_MAX, async (cursor) => ({
      cursor,
      rows: await cursor.next(this.#chunk),
      at: 0,
    }));
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

/** A merge whose sources may hold the same rows: each once. */
export class OnceCursor<E extends { readonly id: string }> implements Cursor<E> {
  readonly #merged: Cursor<E>;
  #last = '';

  constructor(merged: Cursor<E>) {
    this.#merged = merged;
  }

  async next(count: number): Promise<readonly E[]> {
    for (;;) {
      const rows = await this.#merged.next(count);
      const fresh: E[] = [];
      for (const row of rows) {
        if (row.id !== this.#last) fresh.push(row);
        this.#last = row.id;
      }
      if (fresh.length > 0 || rows.length === 0) return fresh;
    }
  }
}

/** `work` on each item, at most `atOnce` at a time; results in the items' order. The first failure is thrown. */
export async function eachBounded<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const entries = items.entries();
  const worker = async () => {
    for (const [index, item] of entries) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results;
}
