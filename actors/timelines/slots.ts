import type { Clock } from '../domain/time.js';

const MINUTE_MS = 60_000;
/**
 * Time without a read after which a ring is dropped. Source: Mastodon drops home feeds of users who were absent for a
 * fortnight (UserTrackingConcern).
 */
const UNREAD_MINUTES_MAX = 14 * 24 * 60;
const LOOK_MINUTES = 60;
/** Fraction of all rings that is evicted at once when the limit is reached. */
const CROWDED_OUT_SHARE = 1 / 64;
/** Released numbers that trigger a pass over the follower index, which costs much more than a release. */
const SWEEP_MIN = 512;

/** Assigns rings to accounts, and tracks their last reads and the free ring numbers. */
export class Slots {
  readonly #numbers = new Map<string, number>();
  #readMinutes = new Uint32Array(1_024);
  #epochs = new Float64Array(1_024);
  #versions = new Float64Array(1_024);
  #next = 0;
  #lookedMinute = 0;
  #free: number[] = [];
  #gone = new Set<number>();

  constructor(
    private readonly max: number,
    private readonly clock: Pick<Clock, 'nowMs'>,
  ) {}

  get size(): number {
    return this.#numbers.size;
  }

  /** Released numbers that the follower index may still contain. */
  get gone(): ReadonlySet<number> {
    return this.#gone;
  }

  get sweepDue(): boolean {
    return this.#free.length === 0 && (this.#gone.size >= SWEEP_MIN || (this.#gone.size > 0 && this.#next >= this.max));
  }

  of(viewer: string): number | undefined {
    return this.#numbers.get(viewer);
  }

  /** Returns the epoch of the viewer's shard for which the ring is valid; 0 while the shard is being handed over. */
  epochOf(number: number): number {
    return this.#epochs[number] ?? 0;
  }

  setEpoch(number: number, epoch: number): void {
    this.#epochs[number] = epoch;
  }

  /** Returns the version of the viewer's relations at the last read. */
  versionOf(number: number): number {
    return this.#versions[number] ?? 0;
  }

  /** Takes a number. Evict `crowdedOut` rings first. */
  take(viewer: string, epoch: number): number {
    const number = this.#free.pop() ?? this.#next++;
    this.#numbers.set(viewer, number);
    if (number >= this.#epochs.length) this.#grow(number * 2);
    this.#epochs[number] = epoch;
    this.touch(number, 0);
    return number;
  }

  give(viewer: string): number | undefined {
    const number = this.#numbers.get(viewer);
    if (number === undefined) return undefined;
    this.#numbers.delete(viewer);
    this.#gone.add(number);
    return number;
  }

  /** Records a read under this version of the viewer's relations. */
  touch(number: number, version: number): void {
    this.#versions[number] = version;
    this.#readMinutes[number] = this.#minute();
  }

  /**
   * Returns the viewers to evict before another ring is opened: none while there is room, else those that read longest
   * ago.
   */
  crowdedOut(): string[] {
    if (this.#numbers.size < this.max) return [];
    const byAge = [...this.#numbers].sort(([, a], [, b]) => this.#readAt(a) - this.#readAt(b));
    return byAge.slice(0, Math.max(1, Math.floor(this.max * CROWDED_OUT_SHARE))).map(([viewer]) => viewer);
  }

  /** Returns the viewers for which `isWanted` is true, most recently read first. */
  recent(isWanted: (viewer: string) => boolean): [viewer: string, number: number][] {
    return [...this.#numbers]
      .filter(([viewer]) => isWanted(viewer))
      .sort(([, a], [, b]) => this.#readAt(b) - this.#readAt(a));
  }

  /** Returns viewers without reads for weeks. Checks at most once an hour, however often it is called. */
  unread(): string[] {
    if (this.#minute() < this.#lookedMinute + LOOK_MINUTES) return [];
    this.#lookedMinute = this.#minute();
    const since = this.#minute() - UNREAD_MINUTES_MAX;
    return [...this.#numbers].flatMap(([viewer, number]) => (this.#readAt(number) < since ? [viewer] : []));
  }

  /** Frees the released numbers, after the index was swept. */
  swept(): void {
    this.#free.push(...this.#gone);
    this.#gone = new Set();
  }

  clear(): void {
    this.#numbers.clear();
    this.#free = [];
    this.#gone = new Set();
    this.#next = 0;
  }

  #grow(length: number): void {
    const [readMinutes, epochs] = [this.#readMinutes, this.#epochs];
    const versions = this.#versions;
    this.#readMinutes = new Uint32Array(length);
    this.#epochs = new Float64Array(length);
    this.#versions = new Float64Array(length);
    this.#readMinutes.set(readMinutes);
    this.#epochs.set(epochs);
    this.#versions.set(versions);
  }

  #readAt(number: number): number {
    return this.#readMinutes[number] ?? 0;
  }

  #minute(): number {
    return Math.floor(this.clock.nowMs() / MINUTE_MS);
  }
}
