/** The process's clock. It is injected everywhere, so that a simulation can control it. */
export interface Clock {
  /**
   * Returns the wall-clock time in whole milliseconds since 1970: for ids, timestamps and what people read. Never goes
   * back within a process, even when the machine's clock is set back; may jump ahead.
   */
  nowMs(): number;
  /** Returns the machine's unmodified wall clock, which may step either way. Use it only to compare clocks. */
  wallMs(): number;
  /** Returns a time that never steps back. Only differences are meaningful. Leases and deadlines use it. */
  monotonicMs(): number;
  /** Runs `callback` once after `delayMs`. */
  after(delayMs: number, callback: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/** Injected randomness. Cryptographic in production. */
export interface Random {
  bytes(count: number): Uint8Array;
  /** Returns a number uniform in [0, 1). */
  fraction(): number;
}

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
