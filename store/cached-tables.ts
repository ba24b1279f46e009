import { LRUCache } from 'lru-cache';
import { Generations } from './generations.js';
import { NewestRows } from './newest-rows.js';
import type { RangeOptions, Row, RowWrite, Tables } from './port.js';
import type { AnyTable, Columns, KeyOf, Table } from './table.js';

/**
 * Rows kept, of all hot tables: an account, its token and their JSON have some 4 KiB. Too few cost more memory than
 * they save, as garbage: 20,000 people asking in turn took 610 MiB with 32,768 rows, 446 MiB with all of theirs.
 */
const ROWS_MAX = 131_072;

const ID_DIGITS = 18;

/** A row of a hot or watched table that was written. */
export interface WrittenRow {
  readonly table: string;
  /** Values of the key's columns as text, in their order; ids have 18 digits. */
  readonly key: readonly string[];
  /** Absent when it is not known: written elsewhere, at the same time as another, or perhaps not at all. */
  readonly now?: { readonly value: unknown };
}

export interface CachedTablesOptions {
  readonly rowsMax?: number;
  /** Rows are read again after this: bounds how long a node believes what another, cut off from it, has changed. */
  readonly ttlMs?: number;
  /** Tables of which the newest rows of partitions are kept as well; for stores that nobody else writes to. */
  readonly newest?: readonly AnyTable[];
  /** False while others' writes are not heard: nothing is taken from memory then. */
  readonly trusts?: () => boolean;
}

type Key = Readonly<Record<string, string | number>>;

interface Held {
  readonly value: unknown;
}

/** Writes of one row under way; `alone`: at no time were there two. */
interface Writing {
  writers: number;
  alone: boolean;
}

/** Reads of one row under way; a write in between makes them worthless. */
interface Reading {
  readers: number;
  stale: boolean;
}

/**
 * Keeps the decoded rows of hot tables, as long as nobody writes them: whoever reads after a write of this node has
 * resolved gets what was written. What other nodes wrote is told by `forget`. Values are shared: nobody changes them.
 */
export class CachedTables implements Tables {
  readonly #inner: Tables;
  readonly #rows: Generations<Held> | LRUCache<string, Held>;
  readonly #reading = new Map<string, Reading>();
  /** Writes under way, by row. */
  readonly #writing = new Map<string, Writing>();
  readonly #writtenHere: ((rows: readonly WrittenRow[]) => void)[] = [];
  readonly #changed: ((rows: readonly WrittenRow[] | undefined) => void)[] = [];
  readonly #columns = new Map<string, readonly { readonly name: string; readonly isId: boolean }[]>();
  readonly #trusts: () => boolean;
  readonly #newest: NewestRows;

  constructor(
    inner: Tables,
    { rowsMax = ROWS_MAX, ttlMs = 0, trusts = () => true, newest = [] }: CachedTablesOptions = {},
  ) {
    this.#inner = inner;
    this.#newest = new NewestRows(newest);
    this.#rows = ttlMs > 0 ? new LRUCache<string, Held>({ max: rowsMax, ttl: ttlMs }) : new Generations(rowsMax);
    this.#trusts = trusts;
  }

  /** Calls it with each write of hot and watched rows of this node, before the writer goes on. */
  onWritten(listener: (rows: readonly WrittenRow[]) => void): void {
    this.#writtenHere.push(listener);
  }

  /** The same for this node's and all others'; without rows: any may have changed. */
  onChanged(listener: (rows: readonly WrittenRow[] | undefined) => void): void {
    this.#changed.push(listener);
  }

  /** These rows were written elsewhere; without any: who knows which. */
  forget(rows: readonly WrittenRow[] | undefined): void {
    if (rows === undefined) {
      this.#rows.clear();
      for (const reading of this.#reading.values()) reading.stale = true;
      this.#reading.clear();
      this.#newest.forgetAll();
    } else {
      for (const row of rows) {
        this.#drop([row.table, ...row.key].join('\0'));
        this.#newest.written(row);
      }
    }
    for (const listener of this.#changed) listener(rows);
  }

  peek<P extends Columns, C extends Columns, V>(table: Table<P, C, V>, key: KeyOf<P> & KeyOf<C>): V | undefined {
    if (table.hot !== true || !this.#trusts()) return undefined;
    return this.#rows.get(this.#name(table, key))?.value as V | undefined;
  }

  async get<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    key: KeyOf<P> & KeyOf<C>,
  ): Promise<V | undefined> {
    if (table.hot !== true || !this.#trusts()) return this.#inner.get(table, key);
    const name = this.#name(table, key);
    const held = this.#rows.get(name);
    if (held !== undefined) return held.value as V;
    const reading = this.#begin(name);
    try {
      const value = await this.#inner.get(table, key);
      this.#keep(name, reading, value);
      return value;
    } finally {
      this.#end(name, reading);
    }
  }

  async getMany<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    keys: readonly (KeyOf<P> & KeyOf<C>)[],
  ): Promise<(V | undefined)[]> {
    if (table.hot !== true || !this.#trusts()) return this.#inner.getMany(table, keys);
    const found: (V | undefined)[] = [];
    const missing: { readonly index: number; readonly name: string; readonly reading: Reading }[] = [];
    for (let index = 0; index < keys.length; index++) {
      const name = this.#name(table, keys[index] as Key);
      const held = this.#rows.get(name);
      found.push(held?.value as V | undefined);
      if (held === undefined) missing.push({ index, name, reading: this.#begin(name) });
    }
    if (missing.length === 0) return found;
    try {
      const wanted = missing.map(({ index }) => keys[index] as KeyOf<P> & KeyOf<C>);
      const values = await this.#inner.getMany(table, wanted);
      for (const [place, { index, name, reading }] of missing.entries()) {
        found[index] = values[place];
        this.#keep(name, reading, values[place]);
      }
      return found;
    } finally {
      for (const { name, reading } of missing) this.#end(name, reading);
    }
  }

  range<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    options: RangeOptions<C>,
  ): Promise<Row<P, C, V>[]> {
    const read = () => this.#inner.range(table, partition, options);
    return this.#newest.has(table) && this.#trusts() ? this.#newest.range(table, partition, options, read) : read();
  }

  async write(rows: readonly RowWrite[]): Promise<void> {
    const told = rows.filter(({ table }) => table.hot === true || table.watched === true || this.#newest.has(table));
    if (told.length === 0) return this.#inner.write(rows);
    const names = told.map(({ table, key }) => this.#name(table, key));
    for (const name of names) this.#writes(name);
    let isDone = false;
    try {
      await this.#inner.write(rows);
      isDone = true;
    } finally {
      const written = told.map((row, index) => this.#written(names[index] as string, row, isDone));
      for (const row of written) this.#newest.written(row);
      for (const listener of [...this.#changed, ...this.#writtenHere]) listener(written);
    }
  }

  compareAndSet<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    key: KeyOf<P> & KeyOf<C>,
    expected: V | undefined,
    next: V | undefined,
  ): Promise<{ readonly applied: boolean; readonly current: V | undefined }> {
    return this.#inner.compareAndSet(table, key, expected, next);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #begin(name: string): Reading {
    const present = this.#reading.get(name);
    if (present !== undefined) {
      present.readers += 1;
      return present;
    }
    const reading = { readers: 1, stale: false };
    this.#reading.set(name, reading);
    return reading;
  }

  #keep(name: string, reading: Reading, value: unknown): void {
    // What is not there is looked for each time: nobody else would tell when it comes.
    if (!reading.stale && value !== undefined && !this.#writing.has(name)) this.#rows.set(name, { value });
  }

  #end(name: string, reading: Reading): void {
    reading.readers -= 1;
    if (reading.readers === 0 && this.#reading.get(name) === reading) this.#reading.delete(name);
  }

  #writes(name: string): void {
    const present = this.#writing.get(name);
    if (present === undefined) {
      this.#writing.set(name, { writers: 1, alone: true });
    } else {
      present.writers += 1;
      present.alone = false;
    }
  }

  #written(name: string, { table, value }: RowWrite, isDone: boolean): WrittenRow {
    const writing = this.#writing.get(name);
    const isAlone = writing?.alone === true;
    if (writing !== undefined) writing.writers -= 1;
    if (writing?.writers === 0) this.#writing.delete(name);
    this.#drop(name);
    const row = { table: table.name, key: name.split('\0').slice(1) };
    // Of two writes at once nobody knows here which came second, and of one that failed whether it happened.
    if (!isDone || !isAlone) return row;
    if (table.hot === true && value !== undefined) this.#rows.set(name, { value });
    return { ...row, now: { value } };
  }

  #drop(name: string): void {
    this.#rows.delete(name);
    const reading = this.#reading.get(name);
    if (reading === undefined) return;
    reading.stale = true;
    this.#reading.delete(name);
  }

  #columnsOf(table: AnyTable): readonly { readonly name: string; readonly isId: boolean }[] {
    let found = this.#columns.get(table.name);
    if (found === undefined) {
      const all = Object.entries({ ...table.partition, ...table.clustering });
      found = all.map(([name, type]) => ({ name, isId: type === 'id' }));
      this.#columns.set(table.name, found);
    }
    return found;
  }

  /** Keys of hot and watched tables hold no text of clients, so that nothing stands for something else. */
  #name(table: AnyTable, key: Key): string {
    let whole = table.name;
    for (const { name, isId } of this.#columnsOf(table)) {
      const value = String(key[name]);
      whole += `\0${isId && value.length < ID_DIGITS ? value.padStart(ID_DIGITS, '0') : value}`;
    }
    return whole;
  }
}
