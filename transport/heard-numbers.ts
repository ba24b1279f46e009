import type { NodeHeardOf } from '../proto/gen/types.js';
import { Recent } from './recent.js';

/** Publishers that one subscription remembers: nodes of the cluster and their earlier incarnations. */
export const PUBLISHERS_MAX = 1_024;
/**
 * Nodes say every second that they are there: one that is silent for so long has ended, and what is kept of it goes. If
 * it goes on nevertheless, that shows as a gap.
 */
export const SILENT_MS = 10_000;

/** Numbers of one publisher without a gap. `to` below `from`: none yet, `from` is expected. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly atMs: number;
}

export interface HeardNumbersOptions {
  readonly nowMs?: () => number;
  /**
   * What the first message of a publisher may be numbered without counting as a gap. 1: a subscription that is younger
   * than the publisher catches up once, when it has nothing yet. By default any.
   */
  readonly firstMax?: number;
}

/** What one subscription has heard of each publisher: the numbers since the last gap. */
export class HeardNumbers {
  readonly #runs = new Recent<Run>(PUBLISHERS_MAX);
  readonly #nowMs: () => number;
  readonly #firstMax: number;

  constructor({ nowMs = () => performance.now(), firstMax = Number.POSITIVE_INFINITY }: HeardNumbersOptions = {}) {
    this.#nowMs = nowMs;
    this.#firstMax = firstMax;
  }

  /** True: a message of this publisher before this one is missing. */
  hear(publisher: string, number: number): boolean {
    const run = this.#runs.get(publisher);
    const isNext = run !== undefined && run.from <= run.to && number === run.to + 1;
    this.#runs.set(publisher, { from: isNext ? run.from : number, to: number, atMs: this.#nowMs() });
    if (run === undefined) return number > this.#firstMax;
    // One before the expected is only late: who told of it had heard it already.
    return run.from > run.to ? number > run.from : !isNext;
  }

  /** Up to which number of each publisher everything was heard. */
  heard(): NodeHeardOf[] {
    this.#forgetSilent();
    return [...this.#runs].map(([publisher, { to }]) => ({ publisher, number: to }));
  }

  /**
   * Whether all that was published after what another subscription had heard has come here, or shows as a gap when
   * something else of that publisher comes.
   * @param lost what was heard here up to there is not remembered by who asks
   */
  follows(heard: readonly NodeHeardOf[], lost: readonly NodeHeardOf[]): boolean {
    this.#forgetSilent();
    const theirs = numbersOf(heard);
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

const numbersOf = (heard: readonly NodeHeardOf[]): ReadonlyMap<string, number> =>
  new Map(heard.map(({ publisher, number }) => [publisher, number]));
