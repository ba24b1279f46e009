import type { Clock } from '../../domain/time.js';

/** Something that ends by itself once its time has passed. */
export interface Expiring {
  readonly deadlineMs: number;
  expire(): void;
}

/** How late a deadline may be noticed. */
const TICK_MS = 100;

/** Watches many deadlines with one timer: a timer for each ask would cost more than the ask. */
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
