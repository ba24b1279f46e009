import type { Clock, Random } from '../actors/domain/time.js';
import type { Tables } from '../store/port.js';
import type { Program } from './format.js';
import type { LeaseRules } from './lease.js';

/** Where the cluster reports; pino fits. */
export interface ClusterLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What every part of a node's cluster membership works with. */
export interface ClusterContext {
  readonly tables: Tables;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: ClusterLog;
  /** Nodes of one cluster share it (and the keyspace). */
  readonly cluster: string;
  /** NODE_NAME: unique among the cluster's live nodes, kept over restarts. */
  readonly name: string;
  readonly program: Program;
  readonly rules: LeaseRules;
  /** The latest time in an id or write timestamp of this process. */
  readonly stampedMs: () => number;
}

/**
 * Patience with one read or LWT: a dead coordinator must not cost the lease, and two tries fit between a renewal that
 * is due and the lease's end.
 */
export const STORE_PATIENCE_MS = 1_500;
/** Between two tries while the store does not answer. */
export const STORE_RETRY_MS = 250;
