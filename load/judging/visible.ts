import { Histogram } from './histogram.js';
import type { ObservedPost } from './observer.js';
import type { Findings } from './verdicts.js';

/** Measures how long posts take to become visible to others: from sending to seeing, in homes, streams and pushes, and at peers. */
export class Visible {
  readonly home = new Histogram();
  readonly stream = new Histogram();
  readonly push = new Histogram();
  readonly peer = new Histogram();

  /** Start of the measured time: posts sent earlier belong to the warm-up and are ignored. */
  fromMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly lateMs: number,
    private readonly findings: Findings,
  ) {}

  seen(where: 'home' | 'stream' | 'push' | 'peer', place: string, post: ObservedPost, nowMs: number): void {
    if (post.startedMs < this.fromMs) return;
    const tookMs = nowMs - post.startedMs;
    this[where].record(tookMs);
    if (tookMs > this.lateMs) this.late(place, post, `seen after ${Math.round(tookMs)} ms`);
  }

  late(place: string, post: ObservedPost, detail: string): void {
    if (post.startedMs < this.fromMs) return;
    this.findings.add({ verdict: 'late', place, post: post.marker, detail });
  }
}
