import type { Clock, Timer } from '../../domain/time.js';

/** The machine's clocks, as the operating system provides them. */
export type MachineClock = Pick<Clock, 'wallMs' | 'monotonicMs' | 'after'>;

/**
 * Speed of `nowMs` while the wall clock is behind it: slow enough for the wall clock to catch up, fast enough to meet
 * deadlines and schedules meanwhile.
 */
const SLEW_RATE = 0.5;

/**
 * The only source of wall-clock time in a process. `nowMs` follows the machine's wall clock forwards and never goes
 * back: after a step back it runs at half speed until the wall clock has caught up. Ids, write timestamps and event
 * times therefore keep their order whatever happens to the machine's clock.
 */
export class ProcessClock implements Clock {
  #nowMs = Number.NEGATIVE_INFINITY;
  /** Monotonic time of the last reading. */
  #readMs: number;

  constructor(private readonly machine: MachineClock) {
    this.#readMs = machine.monotonicMs();
  }

  nowMs(): number {
    const readMs = this.machine.monotonicMs();
    const slewedMs = this.#nowMs + (readMs - this.#readMs) * SLEW_RATE;
    this.#readMs = readMs;
    this.#nowMs = Math.max(this.machine.wallMs(), slewedMs);
    return Math.floor(this.#nowMs);
  }

  wallMs(): number {
    return this.machine.wallMs();
  }

  monotonicMs(): number {
    return this.machine.monotonicMs();
  }

  after(delayMs: number, callback: () => void): Timer {
    return this.machine.after(delayMs, callback);
  }
}
