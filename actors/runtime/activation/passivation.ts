import type { Clock } from '../../domain/time.js';

/** Something that is looked at once it has had time to come to rest. */
export interface Restless {
  quieted(): void;
}

interface Watched {
  readonly item: Restless;
  readonly dueMs: number;
}

/** Those due within this part of the delay are looked at together: what they write then shares a flush. */
const TOGETHER = 1 / 8;
/** Of those, looked at in one go: some hundred microseconds, and what one write has room for. */
const SLICE_MAX = 64;

/** Watches many actors with one timer: a timer for each would cost more than what it is for. */
export class Quieting {
  private waiting: Watched[] = [];
  /** Of `waiting`, looked at already. */
  private passed = 0;
  private ticking = false;

  constructor(
    private readonly clock: Clock,
    private readonly delayMs: number,
  ) {}

  /** Calls `quieted` once, after the delay. */
  watch(item: Restless): void {
    this.waiting.push({ item, dueMs: this.clock.monotonicMs() + this.delayMs });
    this.tickLater();
  }

  private readonly tick = (): void => {
    this.ticking = false;
    const untilMs = this.clock.monotonicMs() + this.delayMs * TOGETHER;
    const { waiting } = this;
    let { passed } = this;
    const end = Math.min(waiting.length, passed + SLICE_MAX);
    while (passed < end && (waiting[passed] as Watched).dueMs <= untilMs) passed += 1;
    const due = waiting.slice(this.passed, passed);
    this.passed = passed;
    if (passed * 2 > waiting.length) {
      this.waiting = waiting.slice(passed);
      this.passed = 0;
    }
    for (const { item } of due) item.quieted();
    this.tickLater();
  };

  private tickLater(): void {
    const first = this.waiting[this.passed];
    if (this.ticking || first === undefined) return;
    this.ticking = true;
    this.clock.after(Math.max(0, first.dueMs - this.clock.monotonicMs()), this.tick);
  }
}
