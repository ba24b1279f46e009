import type { QueryOptions } from 'cassandra-driver';
import type { Param, Statement } from './statements.js';

/** Rows by the names of their columns. */
interface Found {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** The part of the driver's client that reads and writes rows. */
export interface Session {
  /** Runs a statement. @throws Error the request failed; a write may have happened nevertheless, or may happen later */
  execute(query: string, params: Param[], options?: QueryOptions): Promise<Found>;
  /** Runs statements; atomic for the rows of one partition. @throws as `execute` */
  batch(statements: Statement[], options: QueryOptions): Promise<unknown>;
  shutdown(): Promise<void>;
}
