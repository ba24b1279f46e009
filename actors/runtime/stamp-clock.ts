import type { Clock } from '../domain/time.js';
import type { Placement } from './placement.js';
import { ProcessClock } from './process-clock.js';

/**
 * The time that ids and write timestamps carry: the clock's, within what the placement allows. A floor ahead of the
 * clock, left by an owner whose clock was ahead, does not stop it: it runs at half speed above the floor until the clock
 * has caught up, so that ids of different shards stay in the order of time.
 */
export class StampClock {
  readonly #clock: ProcessClock;

  constructor(
    clock: Clock,
    private readonly placement: Pick<Placement, 'idFloorMs' | 'idCeilingMs'>,
  ) {
    this.#clock = new ProcessClock({
      wallMs: () => Math.max(clock.nowMs(), placement.idFloorMs() + 1),
      monotonicMs: () => clock.monotonicMs(),
      after: (delayMs, callback) => clock.after(delayMs, callback),
    });
  }

  /** Whole milliseconds since 1970. A clock that jumps ahead is followed as soon as the store knows it. */
  nowMs(): number {
    const atMostMs = this.placement.idCeilingMs?.() ?? Number.POSITIVE_INFINITY;
    return Math.floor(Math.max(Math.min(this.#clock.nowMs(), atMostMs), this.placement.idFloorMs() + 1));
  }
}
