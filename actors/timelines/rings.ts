import { IdTexts } from './id-texts.js';
import type { IdWords } from './id-words.js';
import { NumberedIds } from './numbered-ids.js';
import { SortedNumbers } from './sorted-numbers.js';

/** Ids that a ring holds. Source: Mastodon keeps 800 in a home feed (FeedManager::MAX_ITEMS). */
export const RING_IDS = 800;
/** A ring is put in order when the end of it comes to a multiple of this, or to its last place. */
const LATE_MAX = 64;
/** Places of a ring, 3.4 KiB: for what is in order, and what came since. */
const PLACES = RING_IDS + LATE_MAX;
/** Rings of one chunk of memory (6.75 MiB of address space, touched as rings fill). */
const CHUNK_BITS = 11;
const CHUNK_RINGS = 2 ** CHUNK_BITS;

/** Where a ring ends: everything from this id upwards is in it. Zero: there is nothing older at all. */
export type Floor = IdWords;
/** Both exclusive. */
export interface RingBounds {
  readonly before?: IdWords;
  readonly after?: IdWords;
  readonly upwards: boolean;
  readonly limit: number;
}

export const NO_FLOOR: Floor = { high: 0, low: 0 };

/**
 * Rings of status ids, by number: the newest ids of each, without repeats; the oldest are lost. In typed arrays, 3.4 KiB
 * each. Posts of different authors overtake one another between their minting and their delivery, so a delivery only
 * appends, to a line of cache that takes sixteen; the ring is put in order when it is read, or once in some deliveries.
 */
export class Rings {
  /** Of each ring `PLACES` numbers of ids; an index up to one round before or behind is a place: see `placeOf`. */
  readonly #chunks: Uint32Array[] = [];
  readonly #ids: NumberedIds;
  readonly #texts = new IdTexts();
  #rings = 0;
  /** Per ring: the place behind the last id, and behind the last of those in order. */
  #ends = new Uint16Array(CHUNK_RINGS);
  #orderedEnds = new Uint16Array(CHUNK_RINGS);
  /** Per ring: ids in order. */
  #sizes = new Uint16Array(CHUNK_RINGS);
  /** Per ring, high and low word. */
  #floors = new Uint32Array(CHUNK_RINGS * 2);
  /** What is being merged into a ring. */
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

  /** Makes the ring empty, with a floor above which all that comes is put into it. */
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

  /** Everything at or above it that was delivered or filled in is there. */
  floor(ring: number): Floor {
    this.#order(ring);
    return { high: this.#floors[ring * 2] as number, low: this.#floors[ring * 2 + 1] as number };
  }

  /** One id into many rings: `rings[0]` to `rings[count - 1]`. */
  deliver(rings: Uint32Array, count: number, high: number, low: number): void {
    this.append(this.#ids.numberOf(high, low), rings, 0, count);
  }

  /** What stands for an id, to be appended before another is asked for. */
  numberOf(high: number, low: number): number {
    return this.#ids.numberOf(high, low);
  }

  /** An id's number into many rings: `rings[from]` up to `rings[to]`, exclusive. The hot loop of the fan-out. */
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

  /** One id into one ring, wherever it belongs; nothing happens when it is there, or below the ring's end. */
  insert(ring: number, high: number, low: number): void {
    this.deliver(Uint32Array.of(ring), 1, high, low);
  }

  /**
   * Up to `limit` ids from the newest below `before` down, above `after`; or, `upwards`, from the oldest above `after`
   * up, below `before`. None below the floor.
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

  /** How many of a ring in order lie below `id`, or are it (`beyond`). */
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

  /** `index`: 0 for the oldest of those in order. */
  #numberAt(ring: number, index: number): number {
    const place = placeOf((this.#orderedEnds[ring] as number) - (this.#sizes[ring] as number) + index);
    return this.#chunkOf(ring)[baseOf(ring) + place] as number;
  }

  /** Ascending, each id once, none below the floor, the newest `RING_IDS`. */
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

  /** Puts those that came last in order with the others. Answers how many there are, each once. */
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
    // From the newest down; `older` and `to` are indices behind the next to be looked at, and to be written.
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
    // What was there twice leaves a gap, which what is older is moved up to.
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

/** The place of an index that is less than a round away. */
function placeOf(index: number): number {
  if (index < 0) return index + PLACES;
  return index < PLACES ? index : index - PLACES;
}

/** Where a ring begins in its chunk. */
function baseOf(ring: number): number {
  return (ring & (CHUNK_RINGS - 1)) * PLACES;
}

function enlarged<T extends Uint16Array | Uint32Array>(from: T, into: T): T {
  into.set(from);
  return into;
}
