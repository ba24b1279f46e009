import { STORE_PATIENCE_MS } from './context.js';

/** Maximum timeout: a longer wait for one answer would delay the first attempt after an outage. */
const PATIENCE_MS_MAX = 5_000;
/** Maximum lease: bounds how long the shards of a node that dies while the store is slow stay unowned. */
const LEASE_MS_MAX = 30_000;
/** A lease spans this many latencies: a renewal, a failed one before it, and a watcher's read fit into it. */
const LATENCIES_PER_LEASE = 5;
/** Weight of the past at each observation: three seconds fade within a minute of renewals. */
const DECAY = 0.9;
/** Latency from which on the node sends the store fewer requests. */
const SLOW_MS = 1_000;

/** The current latency of conditional writes, as this node's renewals observe it. The worst case fades slowly. */
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

  /** Timeout of one read or conditional write before it is retried. */
  get patienceMs(): number {
    return Math.min(PATIENCE_MS_MAX, Math.max(STORE_PATIENCE_MS, 2 * this.#latencyMs));
  }

  /** Returns the lease for the next renewal: `usualMs`, longer while the store is slow. */
  leaseMs(usualMs: number): number {
    return Math.min(Math.max(usualMs, LEASE_MS_MAX), Math.max(usualMs, LATENCIES_PER_LEASE * this.#latencyMs));
  }
}
