import { LRUCache } from 'lru-cache';
import { storedId } from '../../actors/domain/ids.js';
import type { RangeOptions, Row } from '../port.js';
import type { AnyTable, Columns, KeyOf, Table } from '../table.js';

/** Rows of all answers kept, some 200 bytes each: 12 MB. */
const ROWS_MAX = 50_000;
/** What an answer costs besides its rows, in rows: many are empty. */
const ANSWER_ROWS = 2;
/** Rows of some tables end by themselves, after months. */
const KEPT_MS = 600_000;
/** How exact that is: a look at the clock and a timer for each millisecond cost more than the rest of a hit. */
const CLOCK_MS = 1_000;

type AnyRow = Row<Columns, Columns, unknown>;
type RowKey = Readonly<Record<string, string | number>>;

/**
 * Whole answers to questions for ranges, as long as nobody writes into their partition: for tables that are asked the
 * same again and again and seldom written, such as the indexes that searches look into.
 */
export class KeptRanges {
  readonly #tables: ReadonlySet<string>;
  readonly #answers = new LRUCache<string, { readonly partition: string; readonly rows: readonly AnyRow[] }>({
    maxSize: ROWS_MAX,
    ttl: KEPT_MS,
    ttlResolution: CLOCK_MS,
    sizeCalculation: ({ rows }) => ANSWER_ROWS + rows.length,
    dispose: ({ partition }, question) => this.#gone(partition, question),
  });
  /** Questions whose answers are kept, by partition. */
  readonly #questions = new Map<string, Set<string>>();
  /** Reads under way by partition; a write in between makes them worthless. */
  readonly #reading = new Map<string, { readers: number; stale: boolean }>();

  readonly #listeners = new Map<string, ((key: RowKey) => void)[]>();

  constructor(tables: readonly AnyTable[]) {
    this.#tables = new Set(tables.map(({ name }) => name));
  }

  /** Calls it with the key of each row of this table of its own that is written. */
  onWritten({ name }: AnyTable, listener: (key: RowKey) => void): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
  }

  has(table: AnyTable): boolean {
    return this.#tables.has(table.name);
  }

  /** What a range would answer, if it is known; undefined says nothing of it. The same rows as long as it is kept. */
  peek<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    options: RangeOptions<C>,
  ): readonly Row<P, C, V>[] | undefined {
    const kept = this.#answers.get(questionOf(nameOf(table, partition), options));
    return kept && (kept.rows as unknown as readonly Row<P, C, V>[]);
  }

  /** What is known of one row; undefined says nothing of it. */
  peekOne<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    key: KeyOf<P> & KeyOf<C>,
  ): { readonly value: V | undefined } | undefined {
    const kept = this.#answers.get(rowOf(table, key));
    return kept && { value: kept.rows[0]?.value as V | undefined };
  }

  /** What `read` would answer, which is asked only where that is not known. */
  async range<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    options: RangeOptions<C>,
    read: () => Promise<Row<P, C, V>[]>,
  ): Promise<Row<P, C, V>[]> {
    const name = nameOf(table, partition);
    const rows = await this.#answer(name, questionOf(name, options), read as unknown as () => Promise<AnyRow[]>);
    // A copy: who asked may put the rows into another order.
    return rows.slice() as unknown as Row<P, C, V>[];
  }

  /** The same of one row. */
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
    const kept = this.#answers.get(question);
    if (kept !== undefined) return kept.rows;
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

  /** A row of one of its tables was written, or may have been. */
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
    // First: what it replaces is taken off the list.
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

/** The question for one row, which no range is named like. */
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

/** Columns are told apart by what no key has: a line's end. Two spellings of one id are two names, so ids have 18 digits. */
function nameOf(table: AnyTable, key: RowKey): string {
  let whole = table.name;
  for (const column in table.partition) {
    const text = String(key[column]);
    whole += `\n${table.partition[column] === 'id' ? storedId(text) : text}`;
  }
  return whole;
}
