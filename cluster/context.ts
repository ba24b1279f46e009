import type { Clock, Random } from '../actors/domain/time.js';
import type { Tables } from '../store/port.js';
import type { Program } from './format.js';
import type { LeaseRules } from './lease.js';

/** The log of the cluster; a pino logger fits. */
export interface ClusterLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Dependencies of all components of a node's membership. */
export interface ClusterContext {
  readonly tables: Tables;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: ClusterLog;
  /** Name shared by all nodes of one cluster (and keyspace). */
  readonly cluster: string;
  /** NODE_NAME: unique among the cluster's live nodes, stable over restarts. */
  readonly name: string;
  readonly program: Program;
  readonly rules: LeaseRules;
  /** Returns the latest time in an id or write timestamp of this process. */
  readonly stampedMs: () => number;
}

/**
 * Timeout of one read or LWT: a dead coordinator must not cost the lease, and two attempts fit between the time when a
 * renewal is due and the end of the lease.
 */
export const STORE_PATIENCE_MS = 1_500;
/** Delay between two attempts while the store does not answer. */
export const STORE_RETRY_MS = 250;
