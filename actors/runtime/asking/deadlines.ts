import type { Clock } from '../../domain/time.js';

/** Something that expires at its deadline. */
export interface Expiring {
  readonly deadlineMs: number;
  expire(): void;
}

/** Interval of the checks; a deadline is noticed at most this late. */
const TICK_MS = 100;

/** Watches many deadlines with one timer: a timer for each command would cost more than the command. */
export class Deadlines {
  private readonly watched = new Set<Expiring>();
  private ticking = false;

  constructor(private readonly clock: Clock) {}

  watch(item: Expiring): void {
    this.watched.add(item);
    this.tickLater();
  }

  forget(item: Expiring): void {
    this.watched.delete(item);
  }

  private readonly tick = (): void => {
    this.ticking = false;
    const now = this.clock.monotonicMs();
    for (const item of this.watched) {
      if (item.deadlineMs > now) continue;
      this.watched.delete(item);
      item.expire();
    }
    if (this.watched.size > 0) this.tickLater();
  };

  private tickLater(): void {
    if (this.ticking) return;
    this.ticking = true;
    this.clock.after(TICK_MS, this.tick);
  }
}
