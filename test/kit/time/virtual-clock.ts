import type { Clock, Timer } from '../../../actors/domain/time.js';

/** Maximum number of turns of the event loop for one timer's consequences. */
const SETTLE_TURNS_MAX = 10_000;
/** Number of idle turns after which the work counts as finished: a store in memory answers within one. */
const RESTING_TURNS = 4;

interface Pending {
  readonly atMs: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock that advances only when a test says so. Timers fire in order of time, ties in the order of creation. */
export class VirtualClock implements Clock {
  private elapsedMs = 0;
  private order = 0;
  private readonly pending = new Set<Pending>();
  /** Offset of the wall clock from its normal course; set it to make the wall clock step. */
  skewMs = 0;

  /**
   * @param idle returns false while something is about to run without a timer, as Runtime.idle() says
   * @param startMs the wall clock's first reading
   */
  constructor(
    private idle: () => boolean = () => true,
    private readonly startMs = 1_767_225_600_000,
  ) {}

  nowMs(): number {
    return this.startMs + this.skewMs + this.elapsedMs;
  }

  wallMs(): number {
    return this.nowMs();
  }

  monotonicMs(): number {
    return this.elapsedMs;
  }

  after(delayMs: number, callback: () => void): Timer {
    const entry = { atMs: this.elapsedMs + Math.max(0, delayMs), order: this.order++, callback };
    this.pending.add(entry);
    return { cancel: () => void this.pending.delete(entry) };
  }

  /** Also waits for this function to return true, from now on. */
  alsoIdle(idle: () => boolean): void {
    const before = this.idle;
    this.idle = () => before() && idle();
  }

  /** Advances time; the consequences of each timer finish before the next one fires, and at the end. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.elapsedMs + byMs;
    await this.settle();
    for (let next = this.next(untilMs); next !== undefined; next = this.next(untilMs)) {
      this.pending.delete(next);
      this.elapsedMs = Math.max(this.elapsedMs, next.atMs);
      next.callback();
      await this.settle();
    }
    this.elapsedMs = untilMs;
  }

  /** Resolves when nothing runs that does not wait for time. */
  async settle(): Promise<void> {
    let resting = 0;
    for (let turn = 0; turn < SETTLE_TURNS_MAX; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      resting = this.idle() ? resting + 1 : 0;
      if (resting >= RESTING_TURNS) return;
    }
    throw new Error('the work on the virtual clock did not finish');
  }

  private next(untilMs: number): Pending | undefined {
    let first: Pending | undefined;
    for (const entry of this.pending) {
      if (entry.atMs > untilMs) continue;
      if (first === undefined || entry.atMs < first.atMs || (entry.atMs === first.atMs && entry.order < first.order)) {
        first = entry;
      }
    }
    return first;
  }
}
