import type { Findings } from './verdicts.js';

/** Objects that are remembered at one place, some 200 bytes each. The oldest are forgotten. */
const OBJECTS_MAX = 20_000;

/** The rank of each activity: nothing with a lower one may follow. Servers may leave out what a later one replaces. */
const RANKS: Readonly<Record<string, number>> = { Create: 1, Update: 2, Delete: 3 };

/** An activity about an object. */
export interface ObjectActivity {
  readonly id: string;
  readonly type: string;
  readonly object: unknown;
}

interface Seen {
  readonly ids: Set<string>;
  type: string;
  /** Time (ms) of the latest change, as the server states it; 0: none. */
  updatedMs: number;
}

/**
 * Watches one place as activities about objects arrive: for each object Create comes before Update before Delete, and
 * Updates by their time. The same activity may come again, since an answer may be lost.
 */
export class ObjectOrder {
  readonly #objects = new Map<string, Seen>();

  constructor(
    private readonly place: string,
    private readonly findings: Findings,
  ) {}

  see({ id, type, object }: ObjectActivity): void {
    const rank = RANKS[type];
    const about = typeof object === 'string' ? object : (object as { id?: unknown } | null)?.id;
    if (rank === undefined || typeof about !== 'string') return;
    const updatedMs = type === 'Update' ? timeOf((object as { updated?: unknown }).updated) : 0;
    const seen = this.#objects.get(about);
    if (seen === undefined) {
      this.#objects.set(about, { ids: new Set([id]), type, updatedMs });
      const [oldest] = this.#objects.keys();
      if (this.#objects.size > OBJECTS_MAX && oldest !== undefined) this.#objects.delete(oldest);
      return;
    }
    if (seen.ids.has(id)) return;
    seen.ids.add(id);
    const isEarlier = rank < (RANKS[seen.type] ?? 0) || (updatedMs > 0 && updatedMs < seen.updatedMs);
    if (isEarlier) {
      const detail =
        rank === RANKS[seen.type] ? `an older ${type} came after a newer one` : `${type} came after ${seen.type}`;
      this.findings.add({ verdict: 'outOfOrder', place: this.place, post: about, detail });
      return;
    }
    seen.type = type;
    seen.updatedMs = Math.max(seen.updatedMs, updatedMs);
  }
}

const timeOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) || 0 : 0);
