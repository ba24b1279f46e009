import { compareIds } from '../../actors/domain/ids.js';
import type { Clock } from '../../actors/domain/time.js';

/** Ids of the older half that are remembered however long ago they were sent: an hour of a busy timeline, some 60 KB in all. */
const HALF_MIN = 500;
/**
 * What was sent so recently is remembered whatever else came since. The store is read again up to 10 s after an outage,
 * for what others lost, and what was heard may wait to be shown meanwhile.
 */
const KEPT_MS = 30_000;
/**
 * Past it there is no room for a whole half minute; 1 MB for a stream that is sent 200 a second. What one catching up
 * sends (4,000), and what waits for it in the hub and the lane (1,000 each), fit: nothing of it comes twice.
 */
const HALF_MAX = 6_000;

const GONE = -1;

/** By its last edit, and by whether it has a card: when either is new, it is shown otherwise than before. */
export const versionOf = ({ editedAtMs, card }: { readonly editedAtMs: number; readonly card?: unknown }): number =>
  2 * editedAtMs + (card === undefined ? 0 : 1);

/**
 * What a subscription has been sent, so that catching up from the store repeats nothing. Ids at or below `floor` are
 * not looked at again: they are from before the subscription, or so many others came since that they were forgotten.
 */
export class SentIds {
  #floor: string;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /**
   * Two halves, of which the older is forgotten as a whole. By id the version that was sent last; GONE: none is left, as
   * the subscription knows.
   */
  #older: Map<string, number> = new Map();
  #newer: Map<string, number> = new Map();
  #newerSinceMs: number;
  /** Ids up to here may have been sent without being remembered. */
  #forgottenTo: string;

  /** @param forgottenTo the highest id that may have been sent before; empty: none */
  constructor(floor: string, clock: Pick<Clock, 'monotonicMs'>, forgottenTo = floor) {
    this.#floor = floor;
    this.#forgottenTo = forgottenTo;
    this.#clock = clock;
    this.#newerSinceMs = clock.monotonicMs();
  }

  get floor(): string {
    return this.#floor;
  }

  has(id: string): boolean {
    return this.#newer.has(id) || this.#older.has(id);
  }

  /** Whether it was sent, or is so old that nobody remembers. */
  mayHave(id: string): boolean {
    return this.has(id) || compareIds(id, this.#forgottenTo) <= 0;
  }

  /** False when it was there already. */
  add(id: string, version = 0): boolean {
    if (this.has(id)) return false;
    if (this.#newer.size >= HALF_MIN) this.#makeRoom();
    this.#newer.set(id, version);
    return true;
  }

  /** It is deleted, whether it was sent or not. */
  gone(id: string): void {
    if (!this.add(id, GONE)) this.renew(id, GONE);
  }

  /** Another version of it was sent; of what never was itself, nothing is remembered. */
  renew(id: string, version: number): void {
    if (this.#newer.has(id)) this.#newer.set(id, version);
    else if (this.#older.has(id)) this.#older.set(id, version);
  }

  /** Of what is not known to be gone, the version that was sent last. */
  version(id: string): number | undefined {
    const version = this.#newer.get(id) ?? this.#older.get(id);
    return version === GONE ? undefined : version;
  }

  /** The latest that are not known to be gone, at most so many. */
  shown(max: number): string[] {
    const ids: string[] = [];
    for (const half of [this.#older, this.#newer]) {
      for (const [id, version] of half) if (version !== GONE) ids.push(id);
    }
    return ids.slice(-max);
  }

  #makeRoom(): void {
    const nowMs = this.#clock.monotonicMs();
    if (this.#newer.size < HALF_MAX && nowMs - this.#newerSinceMs < KEPT_MS) return;
    for (const id of this.#older.keys()) if (compareIds(id, this.#forgottenTo) > 0) this.#forgottenTo = id;
    if (compareIds(this.#forgottenTo, this.#floor) > 0) this.#floor = this.#forgottenTo;
    this.#older = this.#newer;
    this.#newer = new Map();
    this.#newerSinceMs = nowMs;
  }
}
