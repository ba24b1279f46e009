import { IdTexts } from './id-texts.js';
import type { IdWords } from './id-words.js';
import { NumberedIds } from './numbered-ids.js';
import { SortedNumbers } from './sorted-numbers.js';

/** Ids in a ring. Source: Mastodon keeps 800 in a home feed (FeedManager::MAX_ITEMS). */
export const RING_IDS = 800;
/** A ring is sorted when its end reaches a multiple of this, or its last place. */
const LATE_MAX = 64;
/** Places of a ring, 3.4 KiB: sorted ids, and ids appended since. */
const PLACES = RING_IDS + LATE_MAX;
/** Rings of one chunk of memory (6.75 MiB of address space, touched as rings fill). */
const CHUNK_BITS = 11;
const CHUNK_RINGS = 2 ** CHUNK_BITS;

/** Lower end of a ring: it contains everything from this id upwards. Zero: nothing older exists. */
export type Floor = IdWords;
/** Bounds, both exclusive. */
export interface RingBounds {
  readonly before?: IdWords;
  readonly after?: IdWords;
  readonly upwards: boolean;
  readonly limit: number;
}

export const NO_FLOOR: Floor = { high: 0, low: 0 };
/** Returns true for the floor of a ring that contains every id of its list. */
export const isNoFloor = ({ high, low }: Floor): boolean => high === 0 && low === 0;

/**
 * Rings of status ids, by number: each holds the newest ids, without repeats, and drops the oldest. They are typed
 * arrays of 3.4 KiB each. Statuses of different authors may be delivered out of order, so a delivery only appends, to a
 * cache line that takes sixteen. A ring is sorted when it is read, and once in some deliveries.
 */
export class Rings {
  /** `PLACES` id numbers for each ring. An index up to one round before or after maps to a place, see `placeOf`. */
  readonly #chunks: Uint32Array[] = [];
  readonly #ids: NumberedIds;
  readonly #texts = new IdTexts();
  #rings = 0;
  /** For each ring: the place after the last id, and after the last sorted id. */
  #ends = new Uint16Array(CHUNK_RINGS);
  #orderedEnds = new Uint16Array(CHUNK_RINGS);
  /** For each ring: number of sorted ids. */
  #sizes = new Uint16Array(CHUNK_RINGS);
  /** For each ring: high and low word of the floor. */
  #floors = new Uint32Array(CHUNK_RINGS * 2);
  /** Ids being merged into a ring. */
  readonly #late: SortedNumbers;

  constructor() {
    this.#ids = new NumberedIds({
      lists: () => this.#rings,
      list: (ring) => this.#chunkOf(ring).subarray(baseOf(ring), baseOf(ring) + PLACES),
    });
    this.#late = new SortedNumbers(this.#ids, LATE_MAX);
  }

  /** Bytes reserved, touched or not. */
  get bytes(): number {
    return this.#chunks.length * CHUNK_RINGS * PLACES * 4 + this.#ids.bytes;
  }

  /** Empties the ring and sets its floor. Ids above the floor are added to it from now on. */
  empty(ring: number, floor: Floor): void {
    while (this.#chunks.length <= ring >>> CHUNK_BITS) this.#grow();
    this.#rings = Math.max(this.#rings, ring + 1);
    this.#orderedEnds[ring] = this.#ends[ring] as number;
    this.#sizes[ring] = 0;
    this.setFloor(ring, floor);
  }

  setFloor(ring: number, { high, low }: Floor): void {
    this.#floors[ring * 2] = high;
    this.#floors[ring * 2 + 1] = low;
  }

  size(ring: number): number {
    this.#order(ring);
    return this.#sizes[ring] as number;
  }

  /** Returns the floor: the ring contains every delivered or filled-in id at or above it. */
  floor(ring: number): Floor {
    this.#order(ring);
    return { high: this.#floors[ring * 2] as number, low: this.#floors[ring * 2 + 1] as number };
  }

  /** Delivers one id to many rings: `rings[0]` to `rings[count - 1]`. */
  deliver(rings: Uint32Array, count: number, high: number, low: number): void {
    this.append(this.#ids.numberOf(high, low), rings, 0, count);
  }

  /** Returns the number of an id. Append it before requesting another. */
  numberOf(high: number, low: number): number {
    return this.#ids.numberOf(high, low);
  }

  /** Appends an id's number to many rings: `rings[from]` up to `rings[to]`, exclusive. The hot loop of the fan-out. */
  append(number: number, rings: Uint32Array, from: number, to: number): void {
    const chunks = this.#chunks;
    const ends = this.#ends;
    for (let index = from; index < to; index++) {
      const ring = rings[index] as number;
      const end = ends[ring] as number;
      const chunk = chunks[ring >>> CHUNK_BITS] as Uint32Array;
      chunk[(ring & (CHUNK_RINGS - 1)) * PLACES + end] = number;
      const isLast = end === PLACES - 1;
      ends[ring] = isLast ? 0 : end + 1;
      if (isLast || (end & (LATE_MAX - 1)) === LATE_MAX - 1) this.#order(ring);
    }
  }

  /** Inserts one id into one ring at its place. Does nothing if it is there already, or below the ring's end. */
  insert(ring: number, high: number, low: number): void {
    this.deliver(Uint32Array.of(ring), 1, high, low);
  }

  /**
   * Returns up to `limit` ids from the newest below `before` downwards, above `after`; or, `upwards`, from the oldest
   * above `after` upwards, below `before`. None are below the floor.
   */
  read(ring: number, bounds: RingBounds): string[] {
    const first = this.#search(ring, this.floor(ring), false);
    const from = bounds.after === undefined ? first : Math.max(first, this.#search(ring, bounds.after, true));
    const size = this.#sizes[ring] as number;
    const to = bounds.before === undefined ? size : this.#search(ring, bounds.before, false);
    const count = Math.max(0, Math.min(bounds.limit, to - from));
    const ids: string[] = [];
    for (let step = 0; step < count; step++) {
      const number = this.#numberAt(ring, bounds.upwards ? from + step : to - 1 - step);
      ids.push(this.#texts.of(this.#ids.highOf(number), this.#ids.lowOf(number)));
    }
    return ids;
  }

  /** Returns how many sorted ids of a ring are below `id`, or equal to it as well (`beyond`). */
  #search(ring: number, { high, low }: IdWords, beyond: boolean): number {
    let from = 0;
    let to = this.#sizes[ring] as number;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const order = this.#ids.compare(this.#numberAt(ring, middle), high, low);
      if (order < 0 || (beyond && order === 0)) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Returns the number at an index; 0 is the oldest sorted one. */
  #numberAt(ring: number, index: number): number {
    const place = placeOf((this.#orderedEnds[ring] as number) - (this.#sizes[ring] as number) + index);
    return this.#chunkOf(ring)[baseOf(ring) + place] as number;
  }

  /** Sorts the ring: ascending, each id once, none below the floor, the newest `RING_IDS`. */
  #order(ring: number): void {
    if (this.#orderedEnds[ring] === this.#ends[ring]) return;
    let size = this.#merge(ring);
    const [high, low] = [this.#floors[ring * 2] as number, this.#floors[ring * 2 + 1] as number];
    this.#sizes[ring] = size;
    if (high !== 0 || low !== 0) {
      while (size > 0 && this.#ids.compare(this.#numberAt(ring, 0), high, low) < 0) this.#sizes[ring] = --size;
    }
    if (size <= RING_IDS) return;
    this.#sizes[ring] = RING_IDS;
    const oldest = this.#numberAt(ring, 0);
    this.setFloor(ring, { high: this.#ids.highOf(oldest), low: this.#ids.lowOf(oldest) });
  }

  /** Merges the appended ids with the sorted ones. Returns the number of distinct ids. */
  #merge(ring: number): number {
    const late = this.#late;
    const chunk = this.#chunkOf(ring);
    const base = baseOf(ring);
    const orderedEnd = this.#orderedEnds[ring] as number;
    const lateCount = placeOf((this.#ends[ring] as number) - orderedEnd);
    late.count = 0;
    for (let index = 0; index < lateCount; index++) late.add(chunk[base + placeOf(orderedEnd + index)] as number);
    let left = late.count;
    let size = this.#sizes[ring] as number;
    // Merges from the newest downwards. `older` and `to` are the indices after the next id to examine, and to write.
    let older = orderedEnd;
    let to = orderedEnd + left;
    const oldest = orderedEnd - size;
    this.#ends[ring] = placeOf(to);
    this.#orderedEnds[ring] = placeOf(to);
    size += left;
    while (left > 0) {
      const olderNumber = chunk[base + placeOf(older - 1)] as number;
      const order =
        older === oldest
          ? -1
          : this.#ids.compare(olderNumber, late.high[left - 1] as number, late.low[left - 1] as number);
      if (order === 0) {
        left -= 1;
        continue;
      }
      to -= 1;
      if (order > 0) older -= 1;
      else left -= 1;
      chunk[base + placeOf(to)] = order > 0 ? olderNumber : (late.numbers[left] as number);
    }
    const twice = to - older;
    // Duplicates leave a gap, so older ids are moved up.
    for (; twice > 0 && older > oldest; older--) {
      chunk[base + placeOf(older - 1 + twice)] = chunk[base + placeOf(older - 1)] as number;
    }
    return size - twice;
  }

  #chunkOf(ring: number): Uint32Array {
    return this.#chunks[ring >>> CHUNK_BITS] as Uint32Array;
  }

  #grow(): void {
    this.#chunks.push(new Uint32Array(CHUNK_RINGS * PLACES));
    const rings = this.#chunks.length * CHUNK_RINGS;
    if (this.#ends.length >= rings) return;
    this.#ends = enlarged(this.#ends, new Uint16Array(rings * 2));
    this.#orderedEnds = enlarged(this.#orderedEnds, new Uint16Array(rings * 2));
    this.#sizes = enlarged(this.#sizes, new Uint16Array(rings * 2));
    this.#floors = enlarged(this.#floors, new Uint32Array(rings * 4));
  }
}

/** Returns the place of an index that is less than a round away. */
function placeOf(index: number): number {
  if (index < 0) return index + PLACES;
  return index < PLACES ? index : index - PLACES;
}

/** Returns the position of a ring in its chunk. */
function baseOf(ring: number): number {
  return (ring & (CHUNK_RINGS - 1)) * PLACES;
}

function enlarged<T extends Uint16Array | Uint32Array>(from: T, into: T): T {
  into.set(from);
  return into;
}
