import type { Codec } from '../proto/codec.js';

/**
 * A column of a key. `text`: UTF-8 of at most 512 bytes. `int`: a safe integer ≥ 0 (bigint in Cassandra).
 * `id`: a decimal id, ordered as a number (bigint in Cassandra).
 */
export type ColumnType = 'text' | 'int' | 'id';
type ColumnValue<C extends ColumnType> = C extends 'int' ? number : string;
export type Columns = Readonly<Record<string, ColumnType>>;
export type KeyOf<C extends Columns> = { readonly [Name in keyof C]: ColumnValue<C[Name]> };

export interface TableOptions {
  /** Rows vanish this many seconds after they were written. */
  readonly ttlSeconds?: number;
  /**
   * How long Cassandra keeps the marks of deleted rows (default ten days). Short only where a deleted row that comes
   * back does no harm: a replica that was away for longer brings it back.
   */
  readonly gcGraceSeconds?: number;
  /** Read far more often than written, and small: decoded values are kept (store/cache/cached-tables.ts), nobody changes them. */
  readonly hot?: boolean;
  /** Who keeps something made of its rows is told when they are written. */
  readonly watched?: boolean;
  /** A row's value follows from its key, and rows stay: one that is known to be written is not written again. */
  readonly constant?: boolean;
  /** Only changed by `compareAndSet` (Paxos in Cassandra) and read at serial consistency. */
  readonly conditional?: boolean;
}

/** One declaration, from which each adapter derives its layout. Columns keep the order in which they are written. */
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
  return { name, ...shape };
}
