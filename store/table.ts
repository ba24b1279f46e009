import type { Codec } from '../proto/codec.js';

/**
 * A column type of a key. `text`: UTF-8 of at most 512 bytes. `int`: a safe integer ≥ 0 (bigint in Cassandra). `id`: a
 * decimal id, ordered as a number (bigint in Cassandra).
 */
export type ColumnType = 'text' | 'int' | 'id';
type ColumnValue<C extends ColumnType> = C extends 'int' ? number : string;
export type Columns = Readonly<Record<string, ColumnType>>;
export type KeyOf<C extends Columns> = { readonly [Name in keyof C]: ColumnValue<C[Name]> };

export interface TableOptions {
  /** Rows expire this many seconds after they were written. */
  readonly ttlSeconds?: number | undefined;
  /**
   * Seconds for which Cassandra keeps the tombstones of deleted rows (default ten days). Short only where the return of
   * a deleted row does no harm: a replica that was down for longer brings it back.
   */
  readonly gcGraceSeconds?: number | undefined;
  /**
   * Rows are small and read far more often than written: decoded values are cached (store/cache/cached-tables.ts) and
   * must not be changed.
   */
  readonly hot?: boolean | undefined;
  /** Caches of data derived from the rows are notified of each write. */
  readonly watched?: boolean | undefined;
  /** A row's value follows from its key, and rows stay: a row that is known to be stored is not written again. */
  readonly constant?: boolean | undefined;
  /** Only `compareAndSet` changes rows (Paxos in Cassandra); reads use serial consistency. */
  readonly conditional?: boolean | undefined;
}

/** One declaration, from which each adapter derives its layout. Columns keep their order of declaration. */
export interface Table<P extends Columns, C extends Columns, V> extends TableOptions {
  readonly name: string;
  readonly partition: P;
  readonly clustering: C;
  readonly value: Codec<V>;
}

// biome-ignore lint/suspicious/noExplicitAny: the adapters treat every table alike; callers keep their types.
export type AnyTable = Table<any, any, any>;

export function table<P extends Columns, C extends Columns, V>(
  name: string,
  shape: { readonly partition: P; readonly clustering: C; readonly value: Codec<V> } & TableOptions,
): Table<P, C, V> {
  const { partition, clustering, value, ttlSeconds, gcGraceSeconds, hot, watched, constant, conditional } = shape;
  // All tables have the same fields in the same order, so that V8 reads each field at a fixed place.
  return { name, partition, clustering, value, ttlSeconds, gcGraceSeconds, hot, watched, constant, conditional };
}
