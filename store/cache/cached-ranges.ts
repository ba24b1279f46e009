import { storedId } from '../../actors/domain/ids.js';
import type { RangeOptions, Row } from '../port.js';
import type { AnyTable, Columns, KeyOf, Table } from '../table.js';
import { Cache, type Caches } from './cache.js';

/** Maximum number of cached rows over all answers: some 200 bytes each, 12 MB in all. */
const ROWS_MAX = 50_000;
/** The fixed cost of an answer, expressed in rows: many answers are empty. */
const ANSWER_ROWS = 2;
/** Maximum cost of one partition's answers, which queries with ever other bounds could let grow without end. */
const PARTITION_ROWS_MAX = 5_000;
/** Lifetime of a cached answer in milliseconds: rows of some tables expire without a write, after months. */
const ANSWER_MS = 600_000;

type AnyRow = Row<Columns, Columns, unknown>;
type RowKey = Readonly<Record<string, string | number>>;

interface CachedAnswer {
  readonly rows: readonly AnyRow[];
  readonly sinceMs: number;
}

/** The answers to the queries of one partition, and their cost in rows. */
interface CachedPartition {
  readonly answers: Map<string, CachedAnswer>;
  readonly cost: number;
}

/**
 * Caches complete answers to range queries until somebody writes into their partition. For tables that receive the same
 * queries again and again and are seldom written, such as the indexes of the search.
 */
export class CachedRanges {
  readonly #tables: ReadonlySet<string>;
  readonly #partitions: Cache<CachedPartition>;
  readonly #monotonicMs: () => number;
  /** Reads under way by partition; a write during a read invalidates its result. */
  readonly #reading = new Map<string, { readers: number; stale: boolean }>();

  readonly #listeners = new Map<string, ((key: RowKey) => void)[]>();

  /** `monotonicMs`: the clock of lifetimes. */
  constructor(tables: readonly AnyTable[], monotonicMs: () => number, caches?: Caches) {
    this.#tables = new Set(tables.map(({ name }) => name));
    this.#monotonicMs = monotonicMs;
    const weights = { of: ({ cost }: CachedPartition) => cost, max: ROWS_MAX };
    this.#partitions = new Cache('range_answers', ROWS_MAX / ANSWER_ROWS, caches, weights);
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
    const rows = this.#find(nameOf(table, partition), questionOf(options));
    return rows && (rows as unknown as readonly Row<P, C, V>[]);
  }

  /** Returns the cached answer for one row; undefined if it is not cached. */
  peekOne<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    key: KeyOf<P> & KeyOf<C>,
  ): { readonly value: V | undefined } | undefined {
    const rows = this.#find(nameOf(table, key), rowOf(table, key));
    return rows && { value: rows[0]?.value as V | undefined };
  }

  /** Answers a range query; calls `read` only if the answer is not cached. */
  async range<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    options: RangeOptions<C>,
    read: () => Promise<Row<P, C, V>[]>,
  ): Promise<Row<P, C, V>[]> {
    const name = nameOf(table, partition);
    const rows = await this.#answer(name, questionOf(options), read as unknown as () => Promise<AnyRow[]>);
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
    const cached = this.#find(name, question);
    if (cached !== undefined) return cached;
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
    this.#partitions.delete(name);
  }

  forgetAll(): void {
    this.#partitions.clear();
    for (const reading of this.#reading.values()) reading.stale = true;
    this.#reading.clear();
  }

  #find(partition: string, question: string): readonly AnyRow[] | undefined {
    const answer = this.#partitions.get(partition)?.answers.get(question);
    return answer !== undefined && this.#monotonicMs() - answer.sinceMs < ANSWER_MS ? answer.rows : undefined;
  }

  #keep(question: string, partition: string, rows: readonly AnyRow[]): void {
    const before = this.#partitions.peek(partition);
    const cost = (before?.cost ?? 0) - costOf(before?.answers.get(question)) + ANSWER_ROWS + rows.length;
    const answer = { rows, sinceMs: this.#monotonicMs() };
    if (before === undefined || cost > PARTITION_ROWS_MAX) {
      this.#partitions.set(partition, {
        answers: new Map([[question, answer]]),
        cost: ANSWER_ROWS + rows.length,
      });
      return;
    }
    before.answers.set(question, answer);
    this.#partitions.set(partition, { answers: before.answers, cost });
  }
}

const costOf = (answer: CachedAnswer | undefined): number =>
  answer === undefined ? 0 : ANSWER_ROWS + answer.rows.length;

/** Returns the key of a range query within its partition. */
function questionOf(options: RangeOptions<Columns>): string {
  return `${options.limit}${options.reverse === true ? 'r' : ''}${boundsOf(options)}`;
}

/** Returns the key of a query for one row; no range query has the same key. */
function rowOf(table: AnyTable, key: RowKey): string {
  let whole = '=';
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
