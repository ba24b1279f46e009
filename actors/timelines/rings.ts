import { IdTexts } from './id-texts.js';
import { compareWords, type IdWords } from './id-words.js';

/** Ids that a ring holds. Source: Mastodon keeps 800 in a home feed (FeedManager::MAX_ITEMS). */
export const RING_IDS = 800;
const RING_WORDS = RING_IDS * 2;
/** Rings of one chunk of memory (13 MiB of address space, touched as rings fill). */
const CHUNK_BITS = 11;
const CHUNK_RINGS = 2 ** CHUNK_BITS;

/** Places from the newest in which an id is put by going through them one by one: two lines of cache. */
const NEAR_MAX = 16;

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
 * Rings of status ids, newest last, ascending, without repeats; a full one loses its oldest. By number, in typed
 * arrays: 6.4 KB each, and a delivery touches one or two cache lines.
 */
export class Rings {
  readonly #chunks: Uint32Array[] = [];
  readonly #texts = new IdTexts();
  /** Per ring: ids written since it was emptied; the newest lies at `(written - 1) % RING_IDS`. */
  #written = new Uint32Array(CHUNK_RINGS);
  /** Per ring, high and low word: the floor as long as nothing was lost at its end. */
  #floors = new Uint32Array(CHUNK_RINGS * 2);

  /** Bytes of the chunks, touched or not. */
  get bytes(): number {
    return this.#chunks.length * CHUNK_RINGS * RING_WORDS * 4;
  }

  /** Makes the ring empty, with a floor above which all that comes is put into it. */
  empty(ring: number, floor: Floor): void {
    while (this.#chunks.length <= ring >>> CHUNK_BITS) this.#grow();
    this.#written[ring] = 0;
    this.setFloor(ring, floor);
  }

  setFloor(ring: number, { high, low }: Floor): void {
    this.#floors[ring * 2] = high;
    this.#floors[ring * 2 + 1] = low;
  }

  size(ring: number): number {
    return Math.min(RING_IDS, this.#written[ring] ?? 0);
  }

  /** Everything at or above it that was delivered or filled in is there. */
  floor(ring: number): Floor {
    const own = { high: this.#floors[ring * 2] ?? 0, low: this.#floors[ring * 2 + 1] ?? 0 };
    const written = this.#written[ring] ?? 0;
    if (written <= RING_IDS) return own;
    const oldest = this.#at(ring, written - RING_IDS);
    return compareWords(oldest.high, oldest.low, own.high, own.low) > 0 ? oldest : own;
  }

  /** One id into many rings: `rings[0]` to `rings[count - 1]`. The hot loop of the fan-out. */
  deliver(rings: Uint32Array, count: number, high: number, low: number): void {
    const chunks = this.#chunks;
    const written = this.#written;
    for (let index = 0; index < count; index++) {
      const ring = rings[index] as number;
      const chunk = chunks[ring >>> CHUNK_BITS] as Uint32Array;
      const base = (ring & (CHUNK_RINGS - 1)) * RING_WORDS;
      const count = written[ring] as number;
      if (count > 0) {
        const last = base + ((count - 1) % RING_IDS) * 2;
        const lastHigh = chunk[last] as number;
        if (lastHigh > high || (lastHigh === high && (chunk[last + 1] as number) >= low)) {
          if (!this.#insertNear(ring, chunk, base, high, low)) this.#insert(ring, high, low);
          continue;
        }
      }
      const place = base + (count % RING_IDS) * 2;
      chunk[place] = high;
      chunk[place + 1] = low;
      written[ring] = count + 1;
    }
  }

  /** One id into one ring, wherever it belongs; nothing happens when it is there, or below the ring's end. */
  insert(ring: number, high: number, low: number): void {
    this.#insert(ring, high, low);
  }

  /**
   * Up to `limit` ids from the newest below `before` down, above `after`; or, `upwards`, from the oldest above `after`
   * up, below `before`. None below the floor.
   */
  read(ring: number, bounds: RingBounds): string[] {
    const written = this.#written[ring] ?? 0;
    const first = this.#search(ring, this.floor(ring), false);
    const from = bounds.after === undefined ? first : Math.max(first, this.#search(ring, bounds.after, true));
    const to = bounds.before === undefined ? written : this.#search(ring, bounds.before, false);
    const count = Math.max(0, Math.min(bounds.limit, to - from));
    const ids: string[] = [];
    for (let step = 0; step < count; step++) {
      const { high, low } = this.#at(ring, bounds.upwards ? from + step : to - 1 - step);
      ids.push(this.#texts.of(high, low));
    }
    return ids;
  }

  /** The first index whose id is above (`beyond`) or not below `id`. */
  #search(ring: number, { high, low }: IdWords, beyond: boolean): number {
    const written = this.#written[ring] ?? 0;
    let from = Math.max(0, written - RING_IDS);
    let to = written;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const found = this.#at(ring, middle);
      const order = compareWords(found.high, found.low, high, low);
      if (order < 0 || (beyond && order === 0)) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  #at(ring: number, index: number): IdWords {
    const chunk = this.#chunks[ring >>> CHUNK_BITS];
    const place = (ring & (CHUNK_RINGS - 1)) * RING_WORDS + (index % RING_IDS) * 2;
    return { high: chunk?.[place] ?? 0, low: chunk?.[place + 1] ?? 0 };
  }

  #put(ring: number, index: number, { high, low }: IdWords): void {
    const chunk = this.#chunks[ring >>> CHUNK_BITS];
    if (chunk === undefined) return;
    const place = (ring & (CHUNK_RINGS - 1)) * RING_WORDS + (index % RING_IDS) * 2;
    chunk[place] = high;
    chunk[place + 1] = low;
  }

  /**
   * Posts of different authors overtake one another by a few places between their minting and their delivery, so
   * that a good part of deliveries comes here. False: it belongs further down, or at the ring's end; nothing was done.
   */
  #insertNear(ring: number, chunk: Uint32Array, base: number, high: number, low: number): boolean {
    const count = this.#written[ring] as number;
    const end = base + RING_WORDS;
    let newer = base + ((count - 1) % RING_IDS) * 2;
    const steps = Math.min(NEAR_MAX, Math.min(count, RING_IDS) - 1);
    for (let step = 0; step < steps; step++) {
      const older = newer === base ? end - 2 : newer - 2;
      const olderHigh = chunk[older] as number;
      if (olderHigh < high || (olderHigh === high && (chunk[older + 1] as number) < low)) {
        if (chunk[newer] === high && chunk[newer + 1] === low) return true;
        this.#shift(chunk, base, count % RING_IDS, step + 1);
        chunk[newer] = high;
        chunk[newer + 1] = low;
        this.#written[ring] = count + 1;
        return true;
      }
      newer = older;
    }
    return false;
  }

  /** Moves the `count` ids before `slot` up by one. */
  #shift(chunk: Uint32Array, base: number, slot: number, count: number): void {
    let to = base + slot * 2;
    for (let moved = 0; moved < count; moved++) {
      const from = to === base ? base + RING_WORDS - 2 : to - 2;
      chunk[to] = chunk[from] as number;
      chunk[to + 1] = chunk[from + 1] as number;
      to = from;
    }
  }

  #insert(ring: number, high: number, low: number): void {
    const written = this.#written[ring] ?? 0;
    const floor = this.floor(ring);
    if (compareWords(high, low, floor.high, floor.low) < 0) return;
    const place = this.#search(ring, { high, low }, false);
    if (written >= RING_IDS && place === written - RING_IDS) {
      const oldest = this.#at(ring, place);
      if (oldest.high !== high || oldest.low !== low) this.setFloor(ring, oldest);
      return;
    }
    if (place < written) {
      const found = this.#at(ring, place);
      if (found.high === high && found.low === low) return;
    }
    // What is newer moves up by one; in a full ring the oldest is overwritten by the newest.
    for (let index = written; index > place; index--) this.#put(ring, index, this.#at(ring, index - 1));
    this.#put(ring, place, { high, low });
    this.#written[ring] = written + 1;
  }

  #grow(): void {
    this.#chunks.push(new Uint32Array(CHUNK_RINGS * RING_WORDS));
    const rings = this.#chunks.length * CHUNK_RINGS;
    if (this.#written.length >= rings) return;
    const [written, floors] = [new Uint32Array(rings * 2), new Uint32Array(rings * 4)];
    written.set(this.#written);
    floors.set(this.#floors);
    this.#written = written;
    this.#floors = floors;
  }
}
