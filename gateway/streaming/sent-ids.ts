import { compareIds, laterId } from '../../actors/domain/ids.js';
import type { Clock } from '../../actors/domain/time.js';

/** Ids that the older half retains regardless of their age: an hour of a busy timeline, some 60 KB in all. */
const HALF_MIN = 500;
/**
 * Time for which sent ids are retained regardless of their number. The store is read again up to 10 s after an outage,
 * for events that others lost, and received events may wait in the meantime.
 */
const KEPT_MS = 30_000;
/**
 * Largest half, even if it covers less than half a minute: 1 MB for a stream with 200 events a second. The events of
 * one catch-up (4,000) and those that wait in the hub and the lane (1,000 each) fit, so none is sent twice.
 */
const HALF_MAX = 6_000;

const GONE = -1;

/**
 * Returns a number that changes with the last edit and when the status gets a preview card: clients must then get it
 * again.
 */
export const versionOf = ({ editedAtMs, card }: { readonly editedAtMs: number; readonly card?: unknown }): number =>
  2 * editedAtMs + (card === undefined ? 0 : 1);

/**
 * Ids that a subscription has been sent, so that a catch-up repeats nothing. Ids at or below `floor` are not read
 * again: they are from before the subscription, or were dropped after many others.
 */
export class SentIds {
  #floor: string;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /**
   * Two halves, of which the older is dropped as a whole. Maps an id to the version sent last; GONE: the subscription
   * knows of the deletion.
   */
  #older: Map<string, number> = new Map();
  #newer: Map<string, number> = new Map();
  #newerSinceMs: number;
  /** Ids up to here may have been sent, although they are not retained. */
  #forgottenTo: string;

  /** @param forgottenTo highest id that may have been sent before; empty if none */
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

  /** Returns true if the id was sent, or is too old to be known. */
  mayHave(id: string): boolean {
    return this.has(id) || compareIds(id, this.#forgottenTo) <= 0;
  }

  /** Adds an id. Returns false if it was present. */
  add(id: string, version = 0): boolean {
    if (this.has(id)) return false;
    if (this.#newer.size >= HALF_MIN) this.#makeRoom();
    this.#newer.set(id, version);
    return true;
  }

  /** Records a deletion, even of an id that was not sent. */
  gone(id: string): void {
    if (!this.add(id, GONE)) this.renew(id, GONE);
  }

  /** Records a new version of an id that was sent; ignores other ids. */
  renew(id: string, version: number): void {
    if (this.#newer.has(id)) this.#newer.set(id, version);
    else if (this.#older.has(id)) this.#older.set(id, version);
  }

  /** Returns the version sent last; undefined if the id is unknown or deleted. */
  version(id: string): number | undefined {
    const version = this.#newer.get(id) ?? this.#older.get(id);
    return version === GONE ? undefined : version;
  }

  /** Returns the latest ids without known deletion, at most `max`. */
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
    for (const id of this.#older.keys()) this.#forgottenTo = laterId(this.#forgottenTo, id);
    this.#floor = laterId(this.#floor, this.#forgottenTo);
    this.#older = this.#newer;
    this.#newer = new Map();
    this.#newerSinceMs = nowMs;
  }
}
