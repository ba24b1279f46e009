import type { PushOutcome } from '../../transport/push-sender.js';
import type { NoAlert } from './alerts.js';

/** Classes of failed attempts. */
type Failure = Exclude<PushOutcome['kind'], 'sent' | 'later'> | Extract<PushOutcome, { kind: 'later' }>['reason'];
/** Reasons to drop a push without another attempt. `overflow`: too many wait. `expired`: it is too old. */
export type DropReason = NoAlert | 'overflow' | 'expired' | 'gone' | 'refused' | 'too-large';

/** A subscription whose pushes wait for the end of a pause. */
interface Waiting {
  readonly oldestMs: number;
  /** Time (ms) at which the pause has certainly ended, here or on another node. */
  readonly untilMs: number;
}

/**
 * Subscriptions whose oldest push is known, some 100 bytes each: more than a node has actors in memory. Further ones are
 * missing in the figure.
 */
const WAITING_KNOWN_MAX = 20_000;
/** The next attempt begins within this time after a pause, or another node makes it. */
const RETRY_LATE_MS = 300_000;

/** Counts of this node's pushes since it started. */
export class PushFigures {
  sent = 0;
  /** Failed attempts by class. */
  readonly failed: Record<Failure, number> = {
    ...{ gone: 0, refused: 0, 'too-large': 0 },
    ...{ busy: 0, failed: 0, unreachable: 0, timeout: 0, blocked: 0 },
  };
  /** Dropped pushes by reason. */
  readonly dropped: Record<DropReason, number> = {
    ...{ stopped: 0, hidden: 0, overflow: 0, expired: 0 },
    ...{ gone: 0, refused: 0, 'too-large': 0 },
  };
  readonly #waiting = new Map<string, Waiting>();

  /** Notes the oldest waiting push of a subscription; undefined: none waits. */
  waits(subscription: string, oldestMs: number | undefined, untilMs: number): void {
    if (oldestMs === undefined) this.#waiting.delete(subscription);
    else if (this.#waiting.size < WAITING_KNOWN_MAX || this.#waiting.has(subscription))
      this.#waiting.set(subscription, { oldestMs, untilMs: untilMs + RETRY_LATE_MS });
  }

  /** Returns the age (ms) of the oldest push that waits for another attempt; 0 if none waits. */
  oldestMs(nowMs: number): number {
    let oldestMs = nowMs;
    for (const [subscription, waiting] of this.#waiting) {
      // Its actor lives on another node now, which counts it.
      if (waiting.untilMs < nowMs) this.#waiting.delete(subscription);
      else oldestMs = Math.min(oldestMs, waiting.oldestMs);
    }
    return nowMs - oldestMs;
  }
}
