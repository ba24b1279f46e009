import type { StoreCause } from '../../proto/gen/types.js';
import { SOURCES_MAX } from './limits.js';

/** The last effect received from a source, as kept in snapshots. */
export type SourceMark = readonly [source: string, seq: number, n: number];

/** Remembers the last effect of each of the latest sources: a source sends its effects in order, so older is repeated. */
export class Dedupe {
  private readonly last = new Map<string, { readonly seq: number; readonly n: number }>();

  static from(marks: readonly SourceMark[]): Dedupe {
    const dedupe = new Dedupe();
    for (const [actor, seq, n] of marks) dedupe.note({ actor, seq, n });
    return dedupe;
  }

  repeats(cause: StoreCause): boolean {
    const last = this.last.get(cause.actor);
    return last !== undefined && (cause.seq < last.seq || (cause.seq === last.seq && cause.n <= last.n));
  }

  note(cause: StoreCause): void {
    this.last.delete(cause.actor);
    this.last.set(cause.actor, { seq: cause.seq, n: cause.n });
    if (this.last.size <= SOURCES_MAX) return;
    const oldest = this.last.keys().next();
    if (!oldest.done) this.last.delete(oldest.value);
  }

  /** Least recently heard first. */
  marks(): SourceMark[] {
    return [...this.last].map(([source, { seq, n }]) => [source, seq, n]);
  }
}
