import type { DeliveryOutcome } from '../../../transport/federation/port.js';

/** Classes of failed attempts. */
export type DeliveryFailure = NonNullable<DeliveryOutcome['reason']> | 'refused' | 'gone';
/**
 * Reasons to drop a delivery. `replaced`: a later activity makes it needless. `retired`: its inbox does not exist.
 * `expired`: it failed for seven days. `overflow`: too many wait for the host. `host-gone`: the host failed for seven days.
 * `operator`: an operator dropped it.
 */
export type DeliveryDrop =
  | 'refused'
  | 'gone'
  | 'replaced'
  | 'retired'
  | 'expired'
  | 'overflow'
  | 'host-gone'
  | 'operator';

/** A host for which deliveries wait. */
interface Waiting {
  readonly count: number;
  readonly oldestMs: number;
  /** Time (ms) at which the next pass has certainly begun, here or on another node. */
  readonly untilMs: number;
  /** The breaker is open. */
  readonly isPaused: boolean;
}

/** Hosts whose queue is known, some 100 bytes each. Further ones are missing in the figures. */
const HOSTS_KNOWN_MAX = 20_000;
/** The next pass begins within this time after a pause, or another node makes it. */
const PASS_LATE_MS = 300_000;

/** Counts of this node's deliveries since it started. */
export class DeliveryFigures {
  delivered = 0;
  /** Failed attempts by class. */
  readonly failed: Record<DeliveryFailure, number> = {
    ...{ busy: 0, failed: 0, unreachable: 0, timeout: 0, blocked: 0, local: 0 },
    ...{ refused: 0, gone: 0 },
  };
  /** Dropped deliveries by reason. */
  readonly dropped: Record<DeliveryDrop, number> = {
    ...{ refused: 0, gone: 0, replaced: 0, retired: 0 },
    ...{ expired: 0, overflow: 0, 'host-gone': 0, operator: 0 },
  };
  readonly #waiting = new Map<string, Waiting>();

  /** Notes the deliveries that wait for a host's next pass, at `untilMs`; 0: none waits. */
  waits(host: string, count: number, oldestMs: number, untilMs: number, isPaused = false): void {
    if (count === 0) this.#waiting.delete(host);
    else if (this.#waiting.size < HOSTS_KNOWN_MAX || this.#waiting.has(host))
      this.#waiting.set(host, { count, oldestMs, untilMs: untilMs + PASS_LATE_MS, isPaused });
  }

  /** Returns the number of deliveries that waited for a host after its last pass. */
  waitingFor(host: string): number {
    return this.#waiting.get(host)?.count ?? 0;
  }

  /** Returns the number of deliveries that wait for another attempt, and the age (ms) of the oldest; 0 if none waits. */
  waiting(nowMs: number): {
    readonly count: number;
    readonly hosts: number;
    readonly pausedHosts: number;
    readonly oldestMs: number;
  } {
    let [count, oldestMs, pausedHosts] = [0, nowMs, 0];
    for (const [host, waiting] of this.#waiting) {
      // Its actor lives on another node now, which counts it.
      if (waiting.untilMs < nowMs) this.#waiting.delete(host);
      else {
        count += waiting.count;
        if (waiting.isPaused) pausedHosts += 1;
        oldestMs = Math.min(oldestMs, waiting.oldestMs);
      }
    }
    return { count, hosts: this.#waiting.size, pausedHosts, oldestMs: nowMs - oldestMs };
  }
}
