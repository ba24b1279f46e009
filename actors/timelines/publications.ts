import { compareIds, idMs, laterId, makeId } from '../domain/ids.js';
import type { Clock } from '../domain/time.js';

/**
 * Ids in one half: an hour of a server with four statuses a second, 80 s of one with two hundred. A takeover needs some
 * 20 s. Both halves are 3 MB.
 */
const HALF_MAX = 16_384;
/** Late statuses remembered. A takeover leaves some hundred. */
const LATE_MAX = 4_096;
/**
 * Time (monotonic, ms) after a gap during which this node does not know if a status that it did not receive was
 * published. At its end this node's clock of ids, or one that a pulse reported, has passed the ids of lost messages:
 * clocks differ by at most 5 s, but a takeover may have raised the others by half a minute.
 */
const UNKNOWN_MS = 10_000;

/**
 * Age (ms) from which floors of streams may have passed a status: they rise to ids of half a minute ago, and its message
 * takes its time. The next owners of a killed node's actors publish before that.
 */
const PASSED_MS = 15_000;
/** A floor has not passed a status with fewer newer ones: positions name at least 160 above it. */
const NEWER_MAX = 120;

/** Properties of the message of a new status. */
export interface Publication {
  /** It may have been published before. */
  readonly mayRepeat?: boolean | undefined;
  /** It was not published before, and its row in `changedStatuses` says that it is late. */
  readonly late?: boolean | undefined;
  /** It is late, but no floor of a stream had passed it: only streams that began meanwhile look for its row. */
  readonly aboveFloors?: boolean | undefined;
}

/**
 * The new statuses and reblogs that this node has received from the bus lately. All nodes receive the same messages, or
 * notice a gap.
 */
export class Publications {
  /** Clock of ids, and monotonic time. */
  readonly #clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  /** The places of ids in the order of receipt, in two halves, of which the older is dropped as a whole. */
  #older: ReadonlyMap<string, number> = new Map();
  #newer = new Map<string, number>();
  /** Late ones, oldest first, with the time of receipt in ms; 0 if they have rows. */
  readonly #late = new Map<string, number>();
  /** Times of receipt (ms) of the last statuses; the next one replaces the oldest. */
  readonly #receivedMs: number[] = new Array(NEWER_MAX).fill(0);
  #received = 0;
  /** Ids minted before are unknown unless they were received. */
  #from = makeId(0, 0, 0);
  /** Monotonic time (ms) until which all others are unknown, too; undefined when it has passed. */
  #unknownUntilMs: number | undefined;
  /** The highest received id, or that of the clock of another node. */
  #highest = makeId(0, 0, 0);

  constructor(clock: Pick<Clock, 'nowMs' | 'monotonicMs'>) {
    this.#clock = clock;
    this.missed();
  }

  /** Number of statuses that were received since the node started. */
  get received(): number {
    return this.#received;
  }

  /**
   * Returns true if a status was published, false if it was not. Undefined: this node does not remember.
   * @param before answers for the time when so many statuses had been received
   */
  has(id: string, before = Number.POSITIVE_INFINITY): boolean | undefined {
    const place = this.#newer.get(id) ?? this.#older.get(id);
    if (place !== undefined) return place < before;
    this.#endUnknown();
    return this.#unknownUntilMs !== undefined || compareIds(id, this.#from) < 0 ? undefined : false;
  }

  /**
   * Returns true if floors of streams may have passed a status that is not published yet: it is old, many others were
   * published since, or this node does not remember. Messages may be on their way for as long as the status is old, so
   * those of twice that time count.
   */
  isPassed(id: string): boolean {
    const idsMs = idMs(id);
    const ageMs = this.#clock.nowMs() - idsMs;
    const oldestMs = this.#receivedMs[this.#received % NEWER_MAX] ?? 0;
    return this.has(id) !== false || ageMs >= PASSED_MS || oldestMs >= idsMs - ageMs;
  }

  /** Returns true if floors of streams may have passed a status before it was published. */
  isLate(id: string): boolean {
    return this.#late.has(id);
  }

  /** Returns the late statuses without rows that were received since a time (ms). */
  lateSince(sinceMs: number): readonly string[] {
    const ids: string[] = [];
    for (const [id, atMs] of this.#late) if (atMs >= sinceMs) ids.push(id);
    return ids;
  }

  /** Adds a received status. One that comes as a repeat, and did not come before, is late. */
  add(id: string, { mayRepeat, late, aboveFloors }: Publication): void {
    this.#endUnknown();
    const nowMs = this.#clock.nowMs();
    if (late === true) {
      if (aboveFloors !== true) this.#addLate(id, 0);
    } else if (mayRepeat === true && this.has(id) === false) this.#addLate(id, nowMs);
    if (this.#newer.size >= HALF_MAX) {
      for (const old of this.#older.keys()) this.#from = laterId(this.#from, old);
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(id, this.#newer.get(id) ?? this.#older.get(id) ?? this.#received);
    this.#receivedMs[this.#received++ % NEWER_MAX] = nowMs;
    this.#highest = laterId(this.#highest, id);
  }

  /** Another node's clock of ids (ms) has got so far: each node says so every half second. */
  reached(ms: number): void {
    this.#highest = laterId(this.#highest, makeId(ms + 1, 0, 0));
    this.#endUnknown();
  }

  /** Call it after a gap and before the first shards: any status may have been published meanwhile. */
  missed(): void {
    this.#unknownUntilMs = this.#clock.monotonicMs() + UNKNOWN_MS;
  }

  /** When the time after a gap has passed, this node knows about the ids that come from now on. */
  #endUnknown(): void {
    if (this.#unknownUntilMs === undefined || this.#clock.monotonicMs() < this.#unknownUntilMs) return;
    this.#unknownUntilMs = undefined;
    this.#from = laterId(this.#highest, makeId(this.#clock.nowMs(), 0, 0));
  }

  #addLate(id: string, atMs: number): void {
    this.#late.set(id, atMs);
    const [oldest = ''] = this.#late.keys();
    if (this.#late.size > LATE_MAX) this.#late.delete(oldest);
  }
}
