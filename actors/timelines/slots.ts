import type { Clock } from '../domain/time.js';

const MINUTE_MS = 60_000;
/** Source: Mastodon drops the home feeds of those who were not there for a fortnight (UserTrackingConcern). */
const UNREAD_MINUTES_MAX = 14 * 24 * 60;
const LOOK_MINUTES = 60;
/** Of all rings, those that leave at once when there is no room. */
const CROWDED_OUT_SHARE = 1 / 64;
/** Numbers that were given back wait for one pass over the index of followers, which costs much more than each. */
const SWEEP_MIN = 512;

/** Which account has which ring, when it was read last, and which numbers are free. */
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

  /** Numbers given back that the index of followers may still name. */
  get gone(): ReadonlySet<number> {
    return this.#gone;
  }

  get sweepDue(): boolean {
    return this.#free.length === 0 && (this.#gone.size >= SWEEP_MIN || (this.#gone.size > 0 && this.#next >= this.max));
  }

  of(viewer: string): number | undefined {
    return this.#numbers.get(viewer);
  }

  /** The epoch of the viewer's shard under which the ring is kept; 0 while it awaits the shard. */
  epochOf(number: number): number {
    return this.#epochs[number] ?? 0;
  }

  setEpoch(number: number, epoch: number): void {
    this.#epochs[number] = epoch;
  }

  /** The viewer's relations at the last read. */
  versionOf(number: number): number {
    return this.#versions[number] ?? 0;
  }

  /** There must be room: see `crowdedOut`. */
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

  /** It was read now, under this version of the viewer's relations. */
  touch(number: number, version: number): void {
    this.#versions[number] = version;
    this.#readMinutes[number] = this.#minute();
  }

  /** Who must leave before another ring is opened: nobody while there is room, else those who were away longest. */
  crowdedOut(): string[] {
    if (this.#numbers.size < this.max) return [];
    const byAge = [...this.#numbers].sort(([, a], [, b]) => this.#readAt(a) - this.#readAt(b));
    return byAge.slice(0, Math.max(1, Math.floor(this.max * CROWDED_OUT_SHARE))).map(([viewer]) => viewer);
  }

  /** Those of whom it is true, most recently read first. */
  recent(isWanted: (viewer: string) => boolean): [viewer: string, number: number][] {
    return [...this.#numbers]
      .filter(([viewer]) => isWanted(viewer))
      .sort(([, a], [, b]) => this.#readAt(b) - this.#readAt(a));
  }

  /** Whom nobody saw for weeks; asked often, it looks once an hour. */
  unread(): string[] {
    if (this.#minute() < this.#lookedMinute + LOOK_MINUTES) return [];
    this.#lookedMinute = this.#minute();
    const since = this.#minute() - UNREAD_MINUTES_MAX;
    return [...this.#numbers].flatMap(([viewer, number]) => (this.#readAt(number) < since ? [viewer] : []));
  }

  /** The index names none of those given back any more. */
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
