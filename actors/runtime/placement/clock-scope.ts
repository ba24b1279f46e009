import type { Clock, Timer } from '../../domain/time.js';

/** A clock whose timers can all be cancelled at once. */
export class ClockScope implements Clock {
  private readonly timers = new Set<Timer>();

  constructor(private readonly clock: Clock) {}

  nowMs(): number {
    return this.clock.nowMs();
  }

  wallMs(): number {
    return this.clock.wallMs();
  }

  monotonicMs(): number {
    return this.clock.monotonicMs();
  }

  after(delayMs: number, callback: () => void): Timer {
    const inner = this.clock.after(delayMs, () => {
      this.timers.delete(timer);
      callback();
    });
    const timer: Timer = {
      cancel: () => {
        this.timers.delete(timer);
        inner.cancel();
      },
    };
    this.timers.add(timer);
    return timer;
  }

  close(): void {
    for (const timer of [...this.timers]) timer.cancel();
  }
}
