import { STORE_PATIENCE_MS } from './context.js';

/** A longer wait for one answer would delay the first try after an outage. */
const PATIENCE_MS_MAX = 5_000;
/** Bounds how long the shards of a node that dies while the store is slow stay unowned. */
const LEASE_MS_MAX = 30_000;
/** A renewal, one that failed before it, and a watcher's look fit into the lease. */
const LATENCIES_PER_LEASE = 5;
/** Weight of the past at each observation: three seconds are forgotten within a minute of renewals. */
const DECAY = 0.9;
/** From this latency on the node asks the store for less. */
const SLOW_MS = 1_000;

/** How long the store takes for a conditional write now, as this node's renewals see it. The worst case fades slowly. */
export class StorePace {
  #latencyMs = 0;

  observed(tookMs: number): void {
    this.#latencyMs = Math.max(tookMs, this.#latencyMs * DECAY);
  }

  get latencyMs(): number {
    return this.#latencyMs;
  }

  get isSlow(): boolean {
    return this.#latencyMs >= SLOW_MS;
  }

  /** How long one read or conditional write is waited for before it is tried again. */
  get patienceMs(): number {
    return Math.min(PATIENCE_MS_MAX, Math.max(STORE_PATIENCE_MS, 2 * this.#latencyMs));
  }

  /** The lease for the next renewal: `usualMs`, longer while the store is slow. */
  leaseMs(usualMs: number): number {
    return Math.min(Math.max(usualMs, LEASE_MS_MAX), Math.max(usualMs, LATENCIES_PER_LEASE * this.#latencyMs));
  }
}
