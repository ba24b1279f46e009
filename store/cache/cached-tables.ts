import { storedId } from '../../actors/domain/ids.js';
import type { Bounds, IdRow, IdSpan, RangeOptions, Row, RowWrite, Tables, WriteOptions } from '../port.js';
import type { AnyTable, Columns, KeyOf, Table } from '../table.js';
import type { Caches } from './cache.js';
import { CachedRanges } from './cached-ranges.js';
import { CachedRows, type Key, type Reading } from './cached-rows.js';
import { ConstantRows } from './constant-rows.js';
import { NewestRows } from './newest-rows.js';

/**
 * Maximum number of cached rows of each hot table: an account, its token and their JSON take some 4 KiB. Too small a
 * cache costs more memory than it saves, as garbage: 20,000 people whose requests alternate took 610 MiB with 32,768
 * rows in all, 446 MiB with all of their rows cached.
 */
const ROWS_MAX = 65_536;

/** An id that no row has. */
const NO_ID = storedId('0');

/** Runs its continuations when the synchronous work of this turn has returned, before the event loop continues. */
const TURN = Promise.resolve();
/** The clock of a cache whose rows do not age. */
const STANDING = () => 0;

/** A written row of a hot or watched table. */
export interface WrittenRow {
  readonly table: string;
  /** Values of the key's columns as text, in the order of the columns; ids have 18 digits. */
  readonly key: readonly string[];
  /**
   * Absent when the value is unknown: another node wrote the row, two writes overlapped, or the write's outcome is
   * unknown.
   */
  readonly now?: { readonly value: unknown };
  /** The cached value of a hot row before the write. */
  readonly before?: object;
  /** Received from another node: only these numbers changed. */
  readonly numbers?: readonly NumberChanged[];
}

export interface NumberChanged {
  readonly name: string;
  readonly number: number;
}

/** Receives the written rows; `isDone` is false when the write failed: it may have happened, or happen later. */
export type WrittenHere = (rows: readonly WrittenRow[], isDone: boolean) => void;

interface Begun {
  readonly row: RowWrite;
  readonly text: string;
  readonly before: object | undefined;
}

export interface CachedTablesOptions {
  readonly rowsMax?: number;
  /**
   * Returns the maximum age in milliseconds of rows that may be served now; called at each read. Bounds how long a
   * partitioned node serves rows that another node has changed. Absent: rows are valid until they are written.
   */
  readonly ageMaxMs?: () => number;
  /** Tables whose newest rows are also cached by partition; only for stores that no other process writes to. */
  readonly newest?: readonly AnyTable[];
  /** Tables whose complete answers to range queries are cached; only for such stores, too. */
  readonly ranges?: readonly AnyTable[];
  /**
   * A write that took longer than this (milliseconds) counts as a write of unknown outcome: where rows change owners,
   * the next owner may have written since. Absent: no limit.
   */
  readonly promptMs?: number;
  /** Returns false while this node does not receive the writes of other nodes: reads then bypass the cache. */
  readonly trusts?: () => boolean;
  /** The clock of ages, in milliseconds. Absent: nothing ages, so that `ageMaxMs` and `promptMs` have no effect. */
  readonly monotonicMs?: () => number;
  /** Receives the figures of the caches. */
  readonly caches?: Caches | undefined;
}

/**
 * Caches the decoded rows of hot tables until they are written. A read that starts after a write of this node has
 * resolved returns the written value. `forget` applies the writes of other nodes. Values are shared: callers must not
 * change them.
 */
export class CachedTables implements Tables {
  readonly #inner: Tables;
  /** Row caches by table name. */
  readonly #rowCaches = new Map<string, CachedRows>();
  /** The table of the last lookup: a page reads many rows of one table. */
  #latest: { readonly table: AnyTable; readonly kept: CachedRows } | undefined;
  readonly #rowsMax: number;
  readonly #writtenHere: WrittenHere[] = [];
  readonly #changed: ((rows: readonly WrittenRow[] | undefined) => void)[] = [];
  readonly #trusts: () => boolean;
  readonly #ageMaxMs: (() => number) | undefined;
  /** The result of `#sinceMs` in this turn. */
  #believedMs: number | undefined;
  readonly #endTurn = () => {
    this.#believedMs = undefined;
  };
  readonly #promptMs: number;
  readonly #monotonicMs: () => number;
  readonly #newest: NewestRows;
  readonly #ranges: CachedRanges;
  readonly #constants: ConstantRows;
  readonly #caches: Caches | undefined;

  constructor(
    inner: Tables,
    {
      rowsMax = ROWS_MAX,
      ageMaxMs,
      promptMs = Number.POSITIVE_INFINITY,
      trusts = () => true,
      newest = [],
      ranges = [],
      monotonicMs = STANDING,
      caches,
    }: CachedTablesOptions = {},
  ) {
    this.#promptMs = promptMs;
    const isAging = ageMaxMs !== undefined || promptMs < Number.POSITIVE_INFINITY;
    this.#monotonicMs = isAging ? monotonicMs : STANDING;
    this.#inner = inner;
    this.#newest = new NewestRows(newest, caches);
    this.#ranges = new CachedRanges(ranges, monotonicMs, caches);
    this.#constants = new ConstantRows(caches);
    this.#caches = caches;
    this.#rowsMax = rowsMax;
    this.#trusts = trusts;
    this.#ageMaxMs = ageMaxMs;
  }

  /** Calls the listener with each write of hot and watched rows by this node, before the writer continues. */
  onWritten(listener: WrittenHere): void {
    this.#writtenHere.push(listener);
  }

  /** Calls the listener with the writes of all nodes; without rows, any row may have changed. */
  onChanged(listener: (rows: readonly WrittenRow[] | undefined) => void): void {
    this.#changed.push(listener);
  }

  /** Calls the listener with the key of each written row of a table whose ranges are cached. */
  onIndexed(table: AnyTable, listener: (key: Readonly<Record<string, string | number>>) => void): void {
    this.#ranges.onWritten(table, listener);
  }

  /** Invalidates rows that another node wrote; without rows, invalidates everything. */
  forget(rows: readonly WrittenRow[] | undefined): void {
    if (rows === undefined) {
      for (const cached of this.#rowCaches.values()) cached.dropAll();
      this.#newest.forgetAll();
      this.#ranges.forgetAll();
    } else {
      for (const row of rows) {
        const kept = this.#rowCaches.get(row.table);
        if (row.numbers === undefined) kept?.drop(row.key.join('\0'));
        else kept?.amend(row.key.join('\0'), row.numbers);
        this.#newest.written(row);
      }
    }
    for (const listener of this.#changed) listener(rows);
  }

  peek<P extends Columns, C extends Columns, V>(table: Table<P, C, V>, key: KeyOf<P> & KeyOf<C>): V | undefined {
    if (table.hot !== true || !this.#trusts()) return undefined;
    const cached = this.#of(table);
    return cached.get(cached.textOf(key), this.#sinceMs()) as V | undefined;
  }

  peekId<P extends Columns, C extends Columns, V>(table: Table<P, C, V>, id: string): V | undefined {
    if (table.hot !== true || !this.#trusts()) return undefined;
    // The stored form of an id is the text of its key.
    return this.#of(table).get(storedId(id), this.#sinceMs()) as V | undefined;
  }

  /** Returns the key in the form that `offer` takes. */
  textOf(table: AnyTable, key: Key): string {
    return this.#of(table).textOf(key);
  }

  /**
   * Caches a row of a hot table that another node has written. That node must not have published its next write yet.
   */
  offer(table: AnyTable, text: string, value: object): void {
    if (table.hot === true && this.#trusts()) this.#of(table).offer(text, value);
  }

  async get<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    key: KeyOf<P> & KeyOf<C>,
  ): Promise<V | undefined> {
    if (!this.#trusts()) return this.#inner.get(table, key);
    if (table.hot !== true) {
      return this.#ranges.has(table)
        ? this.#ranges.one(table, key, () => this.#inner.get(table, key))
        : this.#inner.get(table, key);
    }
    const cached = this.#of(table);
    const text = cached.textOf(key);
    const held = cached.get(text, this.#sinceMs());
    if (held !== undefined) return held as V;
    const reading = cached.beginReading(text);
    try {
      const value = await this.#inner.get(table, key);
      cached.keep(text, reading, value);
      return value;
    } finally {
      cached.endReading(text, reading);
    }
  }

  async getMany<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    keys: readonly (KeyOf<P> & KeyOf<C>)[],
  ): Promise<(V | undefined)[]> {
    if (table.hot !== true || !this.#trusts()) return this.#inner.getMany(table, keys);
    const cached = this.#of(table);
    const sinceMs = this.#sinceMs();
    const found: (V | undefined)[] = [];
    const missing: { readonly index: number; readonly text: string; readonly reading: Reading }[] = [];
    for (let index = 0; index < keys.length; index++) {
      const text = cached.textOf(keys[index] as Key);
      const held = cached.get(text, sinceMs);
      found.push(held as V | undefined);
      if (held === undefined) missing.push({ index, text, reading: cached.beginReading(text) });
    }
    if (missing.length === 0) return found;
    try {
      const wanted = missing.map(({ index }) => keys[index] as KeyOf<P> & KeyOf<C>);
      const values = await this.#inner.getMany(table, wanted);
      for (const [place, { index, text, reading }] of missing.entries()) {
        found[index] = values[place];
        cached.keep(text, reading, values[place]);
      }
      return found;
    } finally {
      for (const { text, reading } of missing) cached.endReading(text, reading);
    }
  }

  range<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    options: RangeOptions<C>,
  ): Promise<Row<P, C, V>[]> {
    const read = (asked: RangeOptions<C>) => this.#inner.range(table, partition, asked);
    if (!this.#trusts()) return read(options);
    if (this.#newest.has(table)) return this.#newest.range(table, partition, options, read);
    return this.#ranges.has(table) ? this.#ranges.range(table, partition, options, () => read(options)) : read(options);
  }

  peekRange<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    options: RangeOptions<C>,
  ): readonly Row<P, C, V>[] | undefined {
    if (!this.#trusts()) return undefined;
    if (this.#newest.has(table)) return this.#newest.peek(table, partition, options);
    return this.#ranges.has(table) ? this.#ranges.peek(table, partition, options) : undefined;
  }

  peekIds<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    span: IdSpan,
    limit: number,
  ): readonly IdRow<V>[] | undefined {
    return this.#newest.has(table) && this.#trusts() ? this.#newest.peekIds(table, partition, span, limit) : undefined;
  }

  peekState<P extends Columns, C extends Columns, V>(table: Table<P, C, V>, partition: KeyOf<P>): object | undefined {
    return this.#newest.has(table) && this.#trusts() ? this.#newest.peekState(table, partition) : undefined;
  }

  peekOne<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    key: KeyOf<P> & KeyOf<C>,
  ): { readonly value: V | undefined } | undefined {
    return this.#ranges.has(table) && this.#trusts() ? this.#ranges.peekOne(table, key) : undefined;
  }

  async partitions<P extends Columns, C extends Columns, V>(table: Table<P, C, V>): Promise<KeyOf<P>[] | undefined> {
    return this.#inner.partitions?.(table);
  }

  async write(given: readonly RowWrite[], options?: WriteOptions): Promise<void> {
    const rows = this.#constants.due(given);
    if (rows.length === 0) return;
    try {
      await this.#write(rows, options);
    } finally {
      for (const { table, key } of rows) if (this.#ranges.has(table)) this.#ranges.written(table, key);
    }
    this.#constants.written(rows);
  }

  async #write(rows: readonly RowWrite[], options: WriteOptions | undefined): Promise<void> {
    const begun: Begun[] = [];
    for (const row of rows) {
      const { table, key } = row;
      if (table.hot !== true && table.watched !== true && !this.#newest.has(table)) continue;
      const cached = this.#of(table);
      const text = cached.textOf(key);
      begun.push({ row, text, before: table.hot === true ? cached.get(text) : undefined });
      cached.beginWriting(text);
    }
    if (begun.length === 0) return this.#inner.write(rows, options);
    let isDone = false;
    const begunMs = this.#monotonicMs();
    try {
      await this.#inner.write(rows, options);
      isDone = true;
    } finally {
      const isKnown = isDone && this.#monotonicMs() - begunMs <= this.#promptMs;
      const written = begun.map((each) => this.#written(each, isKnown));
      for (const row of written) this.#newest.written(row);
      for (const listener of this.#changed) listener(written);
      for (const listener of this.#writtenHere) listener(written, isDone);
    }
  }

  removeRange<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    bounds: Bounds<C>,
  ): Promise<void> {
    if (this.#ranges.has(table)) throw new TypeError(`ranges of ${table.name} are cached`);
    const removed = this.#inner.removeRange(table, partition, bounds);
    return this.#newest.has(table) ? removed.finally(() => this.#removed(table, partition)) : removed;
  }

  /** Invalidates the cached rows of a partition, here and on other nodes, as after a write of unknown outcome. */
  #removed(table: AnyTable, partition: Readonly<Record<string, string | number>>): void {
    const texts = Object.entries(table.partition).map(([name, type]) =>
      type === 'id' ? storedId(String(partition[name])) : String(partition[name]),
    );
    const written = [{ table: table.name, key: [...texts, NO_ID] }];
    for (const row of written) this.#newest.written(row);
    for (const listener of this.#changed) listener(written);
    for (const listener of this.#writtenHere) listener(written, true);
  }

  compareAndSet<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    key: KeyOf<P> & KeyOf<C>,
    expected: V | undefined,
    next: V | undefined,
  ): Promise<{ readonly applied: boolean; readonly current: V | undefined }> {
    const changed = this.#inner.compareAndSet(table, key, expected, next);
    return this.#ranges.has(table) ? changed.finally(() => this.#ranges.written(table, key)) : changed;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #written({ row: { table, value }, text, before }: Begun, isKnown: boolean): WrittenRow {
    // The outcome of a failed write is unknown, so the row is not cached.
    const isCached = isKnown && table.hot === true;
    const isAlone = this.#of(table).endWriting(text, isCached ? (value as object | undefined) : undefined);
    const key = text.split('\0');
    if (!isKnown || !isAlone) return { table: table.name, key };
    const now = { value };
    return before === undefined ? { table: table.name, key, now } : { table: table.name, key, now, before };
  }

  /**
   * Returns the time since which a row must be known to be served. Computed once a turn: a page looks up some fifty
   * rows.
   */
  #sinceMs(): number {
    if (this.#ageMaxMs === undefined) return Number.NEGATIVE_INFINITY;
    if (this.#believedMs === undefined) {
      this.#believedMs = this.#monotonicMs() - this.#ageMaxMs();
      void TURN.then(this.#endTurn);
    }
    return this.#believedMs;
  }

  #of(table: AnyTable): CachedRows {
    if (table === this.#latest?.table) return this.#latest.kept;
    let cached = this.#rowCaches.get(table.name);
    if (cached === undefined) {
      cached = new CachedRows(table, this.#rowsMax, this.#monotonicMs, this.#caches);
      this.#rowCaches.set(table.name, cached);
    }
    this.#latest = { table, kept: cached };
    return cached;
  }
}
