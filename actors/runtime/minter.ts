import { IDS_PER_MS, makeId } from '../domain/ids.js';
import type { Clock } from '../domain/time.js';

/** Mints one shard's ids, strictly ascending, whatever the wall clock does. */
export class Minter {
  private lastMs = 0;
  private sequence = 0;

  constructor(
    private readonly shard: number,
    private readonly clock: Clock,
    /** No id at or below this time: earlier owners may have used it. */
    private readonly floorMs: () => number,
  ) {}

  next(): string {
    const earliestMs = Math.max(Math.floor(this.clock.nowMs()), Math.floor(this.floorMs()) + 1);
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
