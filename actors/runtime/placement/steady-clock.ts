import type { Clock } from '../../domain/time.js';
import type { Placement } from './placement.js';

/** A moment by the wall clock and by steady time, both in milliseconds. */
export interface Moment {
  readonly wallMs: number;
  readonly steadyMs: number;
}

/**
 * A clock without the steps of the wall clock. It begins at the wall clock's time, then follows the monotonic clock. If
 * the placement stores it, it continues from the time of the last process: it omits a step between two processes, and
 * the time in which no process ran.
 */
export class SteadyClock {
  readonly #aheadMs: number;

  constructor(
    private readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>,
    private readonly placement: Pick<Placement, 'steadyMs'> = {},
  ) {
    this.#aheadMs = clock.nowMs() - clock.monotonicMs();
  }

  now(): Moment {
    const { clock, placement } = this;
    return { wallMs: clock.nowMs(), steadyMs: placement.steadyMs?.() ?? clock.monotonicMs() + this.#aheadMs };
  }
}

/**
 * True when so much time has passed by both measures. The wall clock may have stepped ahead. Steady time differs
 * between nodes, and stands still while a machine sleeps.
 */
export const hasPassed = (ms: number, since: Moment, now: Moment): boolean =>
  now.wallMs - since.wallMs >= ms && now.steadyMs - since.steadyMs >= ms;
