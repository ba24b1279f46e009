import { Histogram } from './histogram.js';
import type { Findings } from './verdicts.js';
import type { Witnessed } from './witness.js';

/** How long posts took to be seen by others: from sending to seeing, in homes and by streams. */
export class Visible {
  readonly home = new Histogram();
  readonly stream = new Histogram();

  constructor(
    private readonly lateMs: number,
    private readonly findings: Findings,
  ) {}

  seen(where: 'home' | 'stream', place: string, post: Witnessed, nowMs: number): void {
    const tookMs = nowMs - post.startedMs;
    this[where].record(tookMs);
    if (tookMs > this.lateMs) this.late(place, post, `seen after ${Math.round(tookMs)} ms`);
  }

  late(place: string, post: Witnessed, detail: string): void {
    this.findings.add({ verdict: 'late', place, post: post.marker, detail });
  }
}
