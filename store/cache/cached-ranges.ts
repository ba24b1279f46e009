import { LRUCache } from 'lru-cache';
import { storedId } from '../../actors/domain/ids.js';
import type { RangeOptions, Row } from '../port.js';
import type { AnyTable, Columns, KeyOf, Table } from '../table.js';

/** Maximum number of cached rows over all answers: some 200 bytes each, 12 MB in all. */
const ROWS_MAX = 50_000;
/** The fixed cost of an answer, expressed in rows: many answers are empty. */
const ANSWER_ROWS = 2;
/** Lifetime of a cached answer: rows of some tables expire without a write, after months. */
const KEPT_MS = 600_000;
/**
 * Precision of the lifetime: reading the clock and setting a timer for each millisecond cost more than the rest of a
 * hit.
 */
const CLOCK_MS = 1_000;

type AnyRow = Row<Columns, Columns, unknown>;
type RowKey = Readonly<Record<string, string | number>>;

/**
 * Caches complete answers to range queries until somebody writes into their partition. For tables that receive the same
 * queries again and again and are seldom written, such as the indexes of the search.
 */
export class CachedRanges {
  readonly #tables: ReadonlySet<string>;
  readonly #answers = new LRUCache<string, { readonly partition: string; readonly rows: readonly AnyRow[] }>({
    maxSize: ROWS_MAX,
    ttl: KEPT_MS,
    ttlResolution: CLOCK_MS,
    sizeCalculation: ({ rows }) => ANSWER_ROWS + rows.length,
    dispose: ({ partition }, question) => this.#gone(partition, question),
  });
  /** Cached queries by partition. */
  readonly #questions = new Map<string, Set<string>>();
  /** Reads under way by partition; a write during a read invalidates its result. */
  readonly #reading = new Map<string, { readers: number; stale: boolean }>();

  readonly #listeners = new Map<string, ((key: RowKey) => void)[]>();

  constructor(tables: readonly AnyTable[]) {
    this.#tables = new Set(tables.map(({ name }) => name));
  }

  /** Calls the listener with the key of each written row of the given table. */
  onWritten({ name }: AnyTable, listener: (key: RowKey) => void): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }

  has(table: AnyTable): boolean {
    return this.#tables.has(table.name);
  }

  /**
   * Returns the cached answer of a range query; undefined if it is not cached. Returns the same array until it is
   * invalidated.
   */
  peek<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    options: RangeOptions<C>,
  ): readonly Row<P, C, V>[] | undefined {
    const cached = this.#answers.get(questionOf(nameOf(table, partition), options));
    return cached && (cached.rows as unknown as readonly Row<P, C, V>[]);
  }

  /** Returns the cached answer for one row; undefined if it is not cached. */
  peekOne<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    key: KeyOf<P> & KeyOf<C>,
  ): { readonly value: V | undefined } | undefined {
    const cached = this.#answers.get(rowOf(table, key));
    return cached && { value: cached.rows[0]?.value as V | undefined };
  }

  /** Answers a range query; calls `read` only if the answer is not cached. */
  async range<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    options: RangeOptions<C>,
    read: () => Promise<Row<P, C, V>[]>,
  ): Promise<Row<P, C, V>[]> {
    const name = nameOf(table, partition);
    const rows = await this.#answer(name, questionOf(name, options), read as unknown as () => Promise<AnyRow[]>);
    // A copy, because the caller may reorder the rows.
    return rows.slice() as unknown as Row<P, C, V>[];
  }

  /** Answers a query for one row in the same way. */
  async one<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    key: KeyOf<P> & KeyOf<C>,
    read: () => Promise<V | undefined>,
  ): Promise<V | undefined> {
    const [row] = await this.#answer(nameOf(table, key), rowOf(table, key), async () => {
      const value = await read();
      return value === undefined ? [] : [{ key, value } as unknown as AnyRow];
    });
    return row?.value as V | undefined;
  }

  async #answer(name: string, question: string, read: () => Promise<AnyRow[]>): Promise<readonly AnyRow[]> {
    const cached = this.#answers.get(question);
    if (cached !== undefined) return cached.rows;
    const reading = this.#reading.get(name) ?? { readers: 0, stale: false };
    reading.readers += 1;
    this.#reading.set(name, reading);
    try {
      const rows = await read();
      if (!reading.stale) this.#keep(question, name, rows);
      return rows;
    } finally {
      reading.readers -= 1;
      if (reading.readers === 0 && this.#reading.get(name) === reading) this.#reading.delete(name);
    }
  }

  /** Invalidates the answers of a row's partition. Call it after each write, including one whose outcome is unknown. */
  written(table: AnyTable, key: RowKey): void {
    for (const listener of this.#listeners.get(table.name) ?? []) listener(key);
    const name = nameOf(table, key);
    const reading = this.#reading.get(name);
    if (reading !== undefined) reading.stale = true;
    this.#reading.delete(name);
    for (const question of [...(this.#questions.get(name) ?? [])]) this.#answers.delete(question);
  }

  forgetAll(): void {
    this.#answers.clear();
    for (const reading of this.#reading.values()) reading.stale = true;
    this.#reading.clear();
  }

  #keep(question: string, partition: string, rows: readonly AnyRow[]): void {
    // Set the answer first: `set` disposes the answer that it replaces, which removes the query from the list.
    this.#answers.set(question, { partition, rows });
    const questions = this.#questions.get(partition) ?? new Set();
    this.#questions.set(partition, questions.add(question));
  }

  #gone(partition: string, question: string): void {
    const questions = this.#questions.get(partition);
    questions?.delete(question);
    if (questions?.size === 0) this.#questions.delete(partition);
  }
}

function questionOf(name: string, options: RangeOptions<Columns>): string {
  return `${name}\n${options.limit}${options.reverse === true ? 'r' : ''}${boundsOf(options)}`;
}

/** Returns the cache key of a query for one row; no range query has the same key. */
function rowOf(table: AnyTable, key: RowKey): string {
  let whole = `${nameOf(table, key)}\n=`;
  for (const column in table.clustering) {
    const text = String(key[column]);
    whole += `\n${table.clustering[column] === 'id' ? storedId(text) : text}`;
  }
  return whole;
}

function boundsOf({ after, before }: RangeOptions<Columns>): string {
  return after === undefined && before === undefined ? '' : JSON.stringify([after, before]);
}

/**
 * Returns the cache key of a partition. A line break separates columns, because no key contains one. Two spellings of
 * one id would give two cache keys, so ids have 18 digits.
 */
function nameOf(table: AnyTable, key: RowKey): string {
  let whole = table.name;
  for (const column in table.partition) {
    const text = String(key[column]);
    whole += `\n${table.partition[column] === 'id' ? storedId(text) : text}`;
  }
  return whole;
}
