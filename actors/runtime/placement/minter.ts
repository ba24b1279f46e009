import { IDS_PER_MS, makeId } from '../../domain/ids.js';

/** Mints one shard's ids in strictly ascending order, even when `timeMs` stands still or goes back. */
export class Minter {
  private lastMs = 0;
  private sequence = 0;

  constructor(
    private readonly shard: number,
    /** Returns the time to put into an id, see `StampClock`. */
    private readonly timeMs: () => number,
  ) {}

  /**
   * Time of the last id; 0 before the first. It may be ahead of `timeMs`, since a full millisecond borrows from the
   * next.
   */
  get reachedMs(): number {
    return this.lastMs;
  }

  next(): string {
    const earliestMs = this.timeMs();
    if (earliestMs > this.lastMs) {
      this.lastMs = earliestMs;
      this.sequence = 0;
    } else if (this.sequence < IDS_PER_MS - 1) {
      this.sequence += 1;
    } else {
      this.lastMs += 1;
      this.sequence = 0;
    }
    return makeId(this.lastMs, this.shard, this.sequence);
  }
}
