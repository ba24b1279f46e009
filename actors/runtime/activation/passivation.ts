import type { Clock } from '../../domain/time.js';

/** Something that is checked for idleness after a delay. */
export interface PassivationCandidate {
  checkIdle(): void;
}

interface Candidate {
  readonly item: PassivationCandidate;
  readonly dueMs: number;
}

/** Fraction of the delay within which items are checked together, so that their writes share a flush. */
const TOGETHER = 1 / 8;
/** Items checked in one tick: some hundred microseconds of work, and as many rows as one write takes. */
const SLICE_MAX = 64;

/** Checks many actors with one timer: a timer for each would cost more than the check. */
export class PassivationTimer {
  private waiting: Candidate[] = [];
  /** Number of items at the start of `waiting` that were checked already. */
  private passed = 0;
  private ticking = false;

  constructor(
    private readonly clock: Clock,
    private readonly delayMs: number,
  ) {}

  /** Calls `checkIdle` once, after the delay. */
  watch(item: PassivationCandidate): void {
    this.waiting.push({ item, dueMs: this.clock.monotonicMs() + this.delayMs });
    this.tickLater();
  }

  private readonly tick = (): void => {
    this.ticking = false;
    const untilMs = this.clock.monotonicMs() + this.delayMs * TOGETHER;
    const { waiting } = this;
    let { passed } = this;
    const end = Math.min(waiting.length, passed + SLICE_MAX);
    while (passed < end && (waiting[passed] as Candidate).dueMs <= untilMs) passed += 1;
    const due = waiting.slice(this.passed, passed);
    this.passed = passed;
    if (passed * 2 > waiting.length) {
      this.waiting = waiting.slice(passed);
      this.passed = 0;
    }
    for (const { item } of due) item.checkIdle();
    this.tickLater();
  };

  private tickLater(): void {
    const first = this.waiting[this.passed];
    if (this.ticking || first === undefined) return;
    this.ticking = true;
    this.clock.after(Math.max(0, first.dueMs - this.clock.monotonicMs()), this.tick);
  }
}
