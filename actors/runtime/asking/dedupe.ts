import type { StoreCause } from '../../../proto/gen/types.js';
import { SOURCES_MAX } from '../limits.js';

/** The last effect received from a source, as stored in snapshots. */
export type SourceMark = readonly [source: string, seq: number, n: number];

/**
 * Deduplicates effects by the last one of each recent source. A source sends its effects in order, so an older one is a
 * repeat.
 */
export class Dedupe {
  /** The last effect while there is only one source, as for most conversations: a map takes ten times the memory. */
  private only: StoreCause | undefined;
  private last: Map<string, Pick<StoreCause, 'seq' | 'n'>> | undefined;

  static from(marks: readonly SourceMark[]): Dedupe {
    const dedupe = new Dedupe();
    for (const [actor, seq, n] of marks) dedupe.note({ actor, seq, n });
    return dedupe;
  }

  repeats(cause: StoreCause): boolean {
    const last = this.only?.actor === cause.actor ? this.only : this.last?.get(cause.actor);
    return last !== undefined && (cause.seq < last.seq || (cause.seq === last.seq && cause.n <= last.n));
  }

  note(cause: StoreCause): void {
    const { actor, seq, n } = cause;
    if (this.last === undefined) {
      if (this.only === undefined || this.only.actor === actor) {
        this.only = { actor, seq, n };
        return;
      }
      this.last = new Map([[this.only.actor, this.only]]);
      this.only = undefined;
    }
    this.last.delete(actor);
    this.last.set(actor, { seq, n });
    if (this.last.size <= SOURCES_MAX) return;
    const oldest = this.last.keys().next();
    if (!oldest.done) this.last.delete(oldest.value);
  }

  /** Least recently received first. */
  marks(): SourceMark[] {
    if (this.only !== undefined) return [[this.only.actor, this.only.seq, this.only.n]];
    return Array.from(this.last ?? [], ([source, { seq, n }]) => [source, seq, n]);
  }
}
