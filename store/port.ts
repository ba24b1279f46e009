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
   * What the rows say is durable elsewhere, and whoever writes them does so again if a crash takes them. A store of one
   * process may then resolve as soon as all its readers see them, if it keeps the order: a later write that is durable
   * finds these durable too. Other stores write as ever.
   */
  readonly deferred?: boolean;
  /**
   * The rows may have been written by another node, which no longer writes them: this write wins over all that is
   * stored by now, whatever the clocks of the two nodes say. Costs a read of each row.
   */
  readonly over?: boolean;
}

/** On the clustering columns, or a prefix of them; both exclusive; absent: open. */
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

/** A row by the id that its partition is in order by. */
export interface IdRow<V> {
  readonly id: string;
  readonly value: V;
}

/** Ids between which rows are read, exclusive, as they are stored; `reverse`: newest first. */
export interface IdSpan {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly reverse: boolean;
}

export interface ReadTables {
  /** The row that `get` would answer with, if that is in memory; undefined says nothing of it. */
  peek?<P extends Columns, C extends Columns, V>(table: Table<P, C, V>, key: KeyOf<P> & KeyOf<C>): V | undefined;
  /** The same of a table whose key is one id, as it is asked for dozens of times a page. */
  peekId?<P extends Columns, C extends Columns, V>(table: Table<P, C, V>, id: string): V | undefined;
  /** The rows that `range` would answer with, if they are in memory; undefined says nothing of them. */
  peekRange?<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    options: RangeOptions<C>,
  ): readonly Row<P, C, V>[] | undefined;
  /** The same by their ids, without an object for each; of tables whose one clustering column is an id. */
  peekIds?<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    span: IdSpan,
    limit: number,
  ): readonly IdRow<V>[] | undefined;
  /** One and the same object for as long as nothing of the partition is written; undefined: nobody knows. */
  peekState?<P extends Columns, C extends Columns, V>(table: Table<P, C, V>, partition: KeyOf<P>): object | undefined;
  /** What `get` would answer with, if that is known, also that there is none; undefined says nothing of it. */
  peekOne?<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    key: KeyOf<P> & KeyOf<C>,
  ): { readonly value: V | undefined } | undefined;
  get<P extends Columns, C extends Columns, V>(table: Table<P, C, V>, key: KeyOf<P> & KeyOf<C>): Promise<V | undefined>;
  /** Same order as the keys. */
  getMany<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    keys: readonly (KeyOf<P> & KeyOf<C>)[],
  ): Promise<(V | undefined)[]>;
  /** Rows of one partition in the order of its clustering columns. */
  range<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    options: RangeOptions<C>,
  ): Promise<Row<P, C, V>[]>;
}

/**
 * Rows in tables. All methods reject with `Unavailable` when the store cannot answer; a write that was rejected so
 * may or may not have happened, unless it is `WriteRefused`.
 */
export interface Tables extends ReadTables {
  /** Durable when resolved, unless deferred. Atomic for the rows of one partition; those of several go side by side. */
  write(rows: readonly RowWrite[], options?: WriteOptions): Promise<void>;
  /**
   * Deletes the rows of one partition between the bounds, all of it without bounds. Durable when resolved. Not atomic: a
   * part of the rows may be gone before the others. Nobody may be writing a row between the bounds. Not for tables that
   * are conditional, hot or watched.
   */
  removeRange<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    bounds: Bounds<C>,
  ): Promise<void>;
  /**
   * Linearisable change of one row of a `conditional` table: writes `next` (undefined: deletes) if the row equals
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
