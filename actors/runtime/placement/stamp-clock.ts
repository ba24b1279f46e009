import type { Clock } from '../../domain/time.js';
import { agreedMs } from './agreed-time.js';
import type { Placement } from './placement.js';
import { ProcessClock } from './process-clock.js';

/**
 * The time of ids and write timestamps: the clock's, within the bounds of the placement. A clock that differs from most
 * members' is corrected, so that ids of different nodes stay in the order of time. A floor ahead of the clock, left by
 * an owner whose clock was ahead, does not stop it: it runs at half speed above the floor until the clock has caught
 * up.
 */
export class StampClock {
  readonly #clock: ProcessClock;

  constructor(
    private readonly machine: Clock,
    private readonly placement: Pick<Placement, 'idFloorMs' | 'idCeilingMs' | 'clusterMs'>,
  ) {
    this.#clock = new ProcessClock({
      wallMs: () => Math.max(agreedMs(machine, placement), placement.idFloorMs() + 1),
      monotonicMs: () => machine.monotonicMs(),
      after: (delayMs, callback) => machine.after(delayMs, callback),
    });
  }

  /**
   * Returns whole milliseconds since 1970. Follows a clock that jumps ahead as soon as the ceiling in the store allows
   * it.
   */
  nowMs(): number {
    const atMostMs = this.placement.idCeilingMs?.() ?? Number.POSITIVE_INFINITY;
    return Math.floor(Math.max(Math.min(this.#clock.nowMs(), atMostMs), this.placement.idFloorMs() + 1));
  }

  monotonicMs(): number {
    return this.machine.monotonicMs();
  }
}
