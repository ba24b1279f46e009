import type { QueryOptions } from 'cassandra-driver';
import type { Param, Statement } from './statements.js';

/** Rows by the names of their columns. */
interface Found {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** The part of a connected driver's client that reads and writes rows. */
export interface Session {
  /** @throws Error the request failed; a write may have happened nevertheless, or may happen later */
  execute(query: string, params: Param[], options?: QueryOptions): Promise<Found>;
  /** Atomic for the rows of one partition. @throws as `execute` */
  batch(statements: Statement[], options: QueryOptions): Promise<unknown>;
  shutdown(): Promise<void>;
}
