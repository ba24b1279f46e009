import type { NodeHeardOf } from '../proto/gen/types.js';
import { Recent } from './recent.js';

/** Maximum number of publishers that one subscription tracks: nodes of the cluster and their earlier incarnations. */
export const PUBLISHERS_MAX = 1_024;
/**
 * Nodes send a heartbeat every second. A publisher that sends nothing for this long (milliseconds) counts as gone and is
 * forgotten; if it publishes again, that shows as a gap.
 */
export const SILENT_MS = 10_000;

/** Received numbers of one publisher without a gap. `to` below `from`: none yet, `from` is expected. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly atMs: number;
}

export interface ReceivedNumbersOptions {
  /** A monotonic clock. */
  readonly nowMs: () => number;
  /**
   * Highest number of a publisher's first message that does not count as a gap. 1: a subscription that starts after the
   * publisher catches up once, while it has nothing yet. Default: no limit.
   */
  readonly firstMax?: number;
}

/** Tracks the numbers that one subscription has received from each publisher since the last gap. */
export class ReceivedNumbers {
  readonly #runs = new Recent<Run>(PUBLISHERS_MAX);
  readonly #nowMs: () => number;
  readonly #firstMax: number;

  constructor({ nowMs, firstMax = Number.POSITIVE_INFINITY }: ReceivedNumbersOptions) {
    this.#nowMs = nowMs;
    this.#firstMax = firstMax;
  }

  /** Records a message. Returns true if an earlier message of this publisher is missing. */
  hear(publisher: string, number: number): boolean {
    const run = this.#runs.get(publisher);
    const isNext = run !== undefined && run.from <= run.to && number === run.to + 1;
    this.#runs.set(publisher, { from: isNext ? run.from : number, to: number, atMs: this.#nowMs() });
    if (run === undefined) return number > this.#firstMax;
    // A number below the expected one is only late: the node that reported the numbers had received it already.
    return run.from > run.to ? number > run.from : !isNext;
  }

  /** Returns the number of each publisher up to which everything was received. */
  receivedUpTo(): NodeHeardOf[] {
    this.#forgetSilent();
    return [...this.#runs].map(([publisher, { to }]) => ({ publisher, number: to }));
  }

  /**
   * Returns true if every message that another subscription had not received has arrived here, or will show as a gap
   * with the next message of its publisher.
   * @param lost messages up to these numbers do not count as received: the caller has forgotten their effects
   */
  follows(received: readonly NodeHeardOf[], lost: readonly NodeHeardOf[]): boolean {
    this.#forgetSilent();
    const theirs = numbersOf(received);
    const gone = numbersOf(lost);
    for (const [publisher, { from }] of this.#runs) {
      if (Math.max(from, (gone.get(publisher) ?? 0) + 1) > (theirs.get(publisher) ?? 0) + 1) return false;
    }
    for (const [publisher, number] of theirs) {
      if (this.#runs.get(publisher) !== undefined) continue;
      this.#runs.set(publisher, { from: number + 1, to: number, atMs: this.#nowMs() });
    }
    return true;
  }

  #forgetSilent(): void {
    const beforeMs = this.#nowMs() - SILENT_MS;
    for (const [publisher, { atMs }] of this.#runs) if (atMs < beforeMs) this.#runs.delete(publisher);
  }
}

const numbersOf = (received: readonly NodeHeardOf[]): ReadonlyMap<string, number> =>
  new Map(received.map(({ publisher, number }) => [publisher, number]));
