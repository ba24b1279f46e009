import type { AnyTable, Columns, KeyOf, Table } from './table.js';

/** A put (value set) or a delete (value undefined) of one row. Made by `put` and `remove`. */
export interface RowWrite {
  readonly table: AnyTable;
  readonly key: Readonly<Record<string, string | number>>;
  readonly value: unknown;
}

export function put<P extends Columns, C extends Columns, V>(
  table: Table<P, C, V>,
  key: KeyOf<P> & KeyOf<C>,
  value: V,
): RowWrite {
  return { table, key, value };
}

export function remove<P extends Columns, C extends Columns, V>(
  table: Table<P, C, V>,
  key: KeyOf<P> & KeyOf<C>,
): RowWrite {
  return { table, key, value: undefined };
}

export interface WriteOptions {
  /**
   * The rows are derived from durable data, and their writer writes them again after a crash. A store of one process
   * may then resolve as soon as all its readers see them, if it preserves the order: a durable later write makes these
   * durable too. Other stores ignore the option.
   */
  readonly deferred?: boolean;
  /**
   * The rows may have been written by another node that no longer writes them: this write wins over everything stored
   * so far, whatever the clocks of the two nodes say. Costs a read of each row.
   */
  readonly over?: boolean;
}

/** Bounds on the clustering columns, or a prefix of them; both exclusive; an absent one is open. */
export interface Bounds<C extends Columns> {
  readonly after?: Partial<KeyOf<C>> | undefined;
  readonly before?: Partial<KeyOf<C>> | undefined;
}

export interface RangeOptions<C extends Columns> extends Bounds<C> {
  /** Descending. */
  readonly reverse?: boolean;
  /** 1 … RANGE_LIMIT_MAX. */
  readonly limit: number;
}

/** Bounds one range's memory: 5,000 rows of some 100 bytes. */
export const RANGE_LIMIT_MAX = 5_000;
/** Bounds one batch: Cassandra takes 16 MiB for one partition, and reactions write a few rows. */
export const WRITE_ROWS_MAX = 256;

export interface Row<P extends Columns, C extends Columns, V> {
  readonly key: KeyOf<P> & KeyOf<C>;
  readonly value: V;
}

/** A row with the id that orders its partition. */
export interface IdRow<V> {
  readonly id: string;
  readonly value: V;
}

/** A range of ids, exclusive, in their stored form; `reverse`: newest first. */
export interface IdSpan {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly reverse: boolean;
}

export interface ReadTables {
  /** Returns the row that `get` would return if it is cached; undefined if it is not cached. */
  peek?<P extends Columns, C extends Columns, V>(table: Table<P, C, V>, key: KeyOf<P> & KeyOf<C>): V | undefined;
  /** Returns the same for a table whose key is one id; a page calls this dozens of times. */
  peekId?<P extends Columns, C extends Columns, V>(table: Table<P, C, V>, id: string): V | undefined;
  /** Returns the rows that `range` would return if they are cached; undefined if they are not cached. */
  peekRange?<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    options: RangeOptions<C>,
  ): readonly Row<P, C, V>[] | undefined;
  /** Returns the same by ids, without an object for each row; for tables whose only clustering column is an id. */
  peekIds?<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    span: IdSpan,
    limit: number,
  ): readonly IdRow<V>[] | undefined;
  /** Returns the same object until the partition is written; undefined if the partition is not cached. */
  peekState?<P extends Columns, C extends Columns, V>(table: Table<P, C, V>, partition: KeyOf<P>): object | undefined;
  /** Returns the cached result of `get`, including the absence of the row; undefined if it is not cached. */
  peekOne?<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    key: KeyOf<P> & KeyOf<C>,
  ): { readonly value: V | undefined } | undefined;
  get<P extends Columns, C extends Columns, V>(table: Table<P, C, V>, key: KeyOf<P> & KeyOf<C>): Promise<V | undefined>;
  /** Returns the rows in the order of the keys. */
  getMany<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    keys: readonly (KeyOf<P> & KeyOf<C>)[],
  ): Promise<(V | undefined)[]>;
  /** Returns rows of one partition in the order of its clustering columns. */
  range<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    options: RangeOptions<C>,
  ): Promise<Row<P, C, V>[]>;
  /**
   * Returns the partitions that may have rows, in any order: all others are empty. For tables with clustering columns.
   * Absent, or undefined, if the store would have to read the whole table.
   */
  partitions?<P extends Columns, C extends Columns, V>(table: Table<P, C, V>): Promise<KeyOf<P>[] | undefined>;
}

/**
 * Rows in tables. All methods reject with `Unavailable` when the store cannot answer; the outcome of a write that
 * rejects with it is unknown, unless the error is `WriteRefused`.
 */
export interface Tables extends ReadTables {
  /**
   * Writes rows; durable when resolved, unless deferred. Atomic for the rows of one partition; partitions are written
   * in parallel.
   */
  write(rows: readonly RowWrite[], options?: WriteOptions): Promise<void>;
  /**
   * Deletes the rows of one partition between the bounds, all of them without bounds. Durable when resolved. Not
   * atomic: some rows may be gone before others. No row between the bounds may be written meanwhile. Not for
   * conditional, hot or watched tables.
   */
  removeRange<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    bounds: Bounds<C>,
  ): Promise<void>;
  /**
   * Changes one row of a `conditional` table, linearisably: writes `next` (undefined: deletes) if the row equals
   * `expected` (undefined: is absent), compared as encoded bytes. Durable when resolved.
   */
  compareAndSet<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    key: KeyOf<P> & KeyOf<C>,
    expected: V | undefined,
    next: V | undefined,
  ): Promise<{ readonly applied: boolean; readonly current: V | undefined }>;
  close(): Promise<void>;
}
