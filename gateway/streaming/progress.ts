import { compareIds, idMs, idsApart, makeId } from '../../actors/domain/ids.js';
import type { StreamClock } from './published-clock.js';

/** Named late ids: those that were under way when their owner was killed, up to 1 KB. */
const LATE_MAX = 128;
/**
 * Time for which late ids are named below the floor. A stream that is resumed reads the rows of late statuses from half
 * a minute before its floor on, and the clock of the node that wrote them may have been ahead by 47 s, just after a
 * takeover.
 */
const LATE_NAMED_MS = 90_000;
/** Step in which the floor rises, because the encoding of the ids must then be rebuilt. */
const FLOOR_STEP_MS = 10_000;
const BASE = 36;
const TEXT_BYTES_MIN = 64;

/** Sent items of one kind: everything up to the floor, except late items that are not named, and the named ids. */
export interface Sent {
  readonly floor: string;
  readonly sent: readonly string[];
  /** Sent items that other nodes may find although they are below the floor. */
  readonly late?: readonly string[];
  /** True if the floor rose since the stream began or was reset. */
  readonly isRaised?: boolean;
}

/** Ids named above the floor, at six characters each. When there are more than `max`, the highest `kept` remain. */
interface Names {
  readonly max: number;
  readonly kept: number;
}

/** Returns the distance between two ids as it is written in positions. */
export const apart = (id: string, other: string): string => idsApart(id, other).toString(BASE);

/** Progress of a subscription with one kind of items. */
export class Progress {
  #floor: string;
  #isRaised: boolean;
  /** Sent ids above the floor that are not late. */
  readonly #sent = new Set<string>();
  /** Late ids, in the order in which they were sent. */
  readonly #late = new Set<string>();
  /** Time (ms) of the last of them. */
  #lateMs = 0;
  /**
   * Cached encoding of the ids in #sent, in ASCII; its length is undefined if some were removed since. Bytes are copied
   * into each frame in a tenth of the time of a string that was built piece by piece.
   */
  #text = Buffer.alloc(0);
  #length: number | undefined;
  /** The id that was encoded last. */
  #last = '';
  readonly #names: Names;
  readonly #clock: Pick<StreamClock, 'nowMs' | 'publishedMs'>;

  constructor(since: Sent, names: Names, clock: Pick<StreamClock, 'nowMs' | 'publishedMs'>) {
    const { floor, sent, late = [], isRaised = false } = since;
    this.#floor = floor;
    this.#isRaised = isRaised;
    this.#names = names;
    this.#clock = clock;
    for (const id of late) this.addLate(id);
    for (const id of sent) this.add(id);
  }

  get floor(): string {
    return this.#floor;
  }

  /** True if the floor rose since the stream began or was reset. */
  get isRaised(): boolean {
    return this.#isRaised;
  }

  add(id: string): void {
    const order = compareIds(id, this.#floor);
    if (order < 0) this.addLate(id);
    if (order <= 0 || this.#sent.has(id) || this.#late.has(id)) return;
    this.#sent.add(id);
    if (this.#length !== undefined) this.#length = this.#write(id, this.#length);
    if (this.#sent.size <= this.#names.max) return;
    this.#raise([...this.#sent].sort(compareIds).at(-1 - this.#names.kept) as string);
  }

  /** Adds an item that other nodes may find although it is below the floor. */
  addLate(id: string): void {
    this.#lateMs = this.#clock.nowMs();
    this.#late.add(id);
    if (this.#sent.delete(id)) this.#length = undefined;
    const [oldest = ''] = this.#late;
    if (this.#late.size <= LATE_MAX) return;
    this.#late.delete(oldest);
    if (compareIds(oldest, this.#floor) > 0) this.add(oldest);
  }

  /** Moves the floor: the client has to reload everything up to it. */
  restart(floor: string): void {
    if (compareIds(floor, this.#floor) <= 0) return;
    this.#raise(floor);
    this.#isRaised = false;
  }

  /** Raises the floor with time. Everything up to now must have been sent. */
  proceed(): void {
    const publishedMs = this.#clock.publishedMs();
    if (idMs(this.#floor) < publishedMs - FLOOR_STEP_MS) this.#raise(makeId(publishedMs, 0, 0));
  }

  /**
   * Returns the distance of each sent id from the one before it, beginning at the floor. The bytes are valid until the
   * next change.
   */
  get named(): Uint8Array {
    if (this.#length === undefined) {
      this.#length = 0;
      this.#last = this.#floor;
      for (const id of [...this.#sent].sort(compareIds)) this.#length = this.#write(id, this.#length);
    }
    return this.#text.subarray(0, this.#length);
  }

  /** Returns the distances of the late ids, which may be negative. */
  get lateNamed(): string {
    let text = '';
    let last = this.#floor;
    for (const id of this.#late) {
      text += `~${apart(id, last)}`;
      last = id;
    }
    return text;
  }

  /** Writes the name of an id to that place. Returns the place after it. */
  #write(id: string, place: number): number {
    const name = `~${apart(id, this.#last)}`;
    this.#last = id;
    if (place + name.length > this.#text.length) {
      const larger = Buffer.alloc(Math.max(TEXT_BYTES_MIN, 2 * this.#text.length));
      larger.set(this.#text);
      this.#text = larger;
    }
    return place + this.#text.write(name, place, 'latin1');
  }

  #raise(floor: string): void {
    this.#floor = floor;
    this.#isRaised = true;
    this.#length = undefined;
    if (idMs(floor) > this.#lateMs + LATE_NAMED_MS) this.#late.clear();
    for (const id of this.#sent) if (compareIds(id, floor) <= 0) this.#sent.delete(id);
  }
}
