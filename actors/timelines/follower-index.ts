/** Places of a block: two lines of cache. The last one has the number of the next block. */
const BLOCK = 32;
const BLOCK_RINGS = BLOCK - 1;
/** Blocks of one chunk of memory, 2 MiB. */
const CHUNK_BITS = 14;
const CHUNK_BLOCKS = 2 ** CHUNK_BITS;
/** No block. */
const NONE = 0;

/** Followers' rings of one author: a chain of blocks, all full but the first. */
interface Audience {
  first: number;
  /** Rings in the first block. */
  filled: number;
  count: number;
}

/**
 * Author → rings of the local followers who have one. 4 bytes for each pair, and some hundred for each author: as arrays
 * of their own they took another hundred, and a fifth of their places stood empty.
 */
export class FollowerIndex {
  readonly #audiences = new Map<string, Audience>();
  readonly #chunks: Uint32Array[] = [];
  #blocks = 1;
  /** The chain of blocks that were given back. */
  #free = NONE;

  /** Rings of the author's followers; 0 when nothing is known of the author. */
  count(author: string): number {
    return this.#audiences.get(author)?.count ?? 0;
  }

  /** Rings of the author's followers, in no order, in parts: `rings[from]` up to `rings[to]`, exclusive. */
  each(author: string, visit: (rings: Uint32Array, from: number, to: number) => void): void {
    const audience = this.#audiences.get(author);
    if (audience === undefined) return;
    let filled = audience.filled;
    for (let block = audience.first; block !== NONE; block = this.#next(block)) {
      const from = placeOf(block);
      visit(this.#chunk(block), from, from + filled);
      filled = BLOCK_RINGS;
    }
  }

  /** The ring must not be among the author's yet. Answers how many there are now. */
  add(author: string, ring: number): number {
    let audience = this.#audiences.get(author);
    if (audience === undefined) {
      audience = { first: NONE, filled: BLOCK_RINGS, count: 0 };
      this.#audiences.set(author, audience);
    }
    if (audience.filled === BLOCK_RINGS) {
      audience.first = this.#take(audience.first);
      audience.filled = 0;
    }
    this.#chunk(audience.first)[placeOf(audience.first) + audience.filled] = ring;
    audience.filled += 1;
    audience.count += 1;
    return audience.count;
  }

  has(author: string, ring: number): boolean {
    let found = false;
    this.each(author, (rings, from, to) => {
      for (let place = from; place < to; place++) if (rings[place] === ring) found = true;
    });
    return found;
  }

  /** Costs a look at the author's whole audience: microseconds for ten thousand. */
  remove(author: string, ring: number): void {
    this.#removeWhere(author, (one) => one === ring);
  }

  /** Gives the author up as a whole; its rings are the answer. */
  take(author: string): number[] {
    const all: number[] = [];
    this.each(author, (rings, from, to) => {
      for (let place = from; place < to; place++) all.push(rings[place] as number);
    });
    this.#removeWhere(author, () => true);
    return all;
  }

  /** Everything that `isGone` says of rings leaves. One pass over all pairs: some 2 ns each. */
  sweep(isGone: (ring: number) => boolean): void {
    for (const author of this.#audiences.keys()) this.#removeWhere(author, isGone);
  }

  /** The authors whose posts come to each of these rings. One pass over all pairs. */
  authorsOf(wanted: ReadonlySet<number>): Map<number, string[]> {
    const found = new Map<number, string[]>();
    for (const author of this.#audiences.keys()) {
      this.each(author, (rings, from, to) => {
        for (let place = from; place < to; place++) {
          const ring = rings[place] as number;
          if (!wanted.has(ring)) continue;
          const authors = found.get(ring);
          if (authors === undefined) found.set(ring, [author]);
          else authors.push(author);
        }
      });
    }
    return found;
  }

  /** What leaves is overwritten by the last that came. */
  #removeWhere(author: string, isGone: (ring: number) => boolean): void {
    const audience = this.#audiences.get(author);
    if (audience === undefined) return;
    let filled = audience.filled;
    for (let block = audience.first; block !== NONE; ) {
      const next = this.#next(block);
      const rings = this.#chunk(block);
      // From the end on: in the first block what overwrites has been looked at already.
      for (let place = placeOf(block) + filled - 1; place >= placeOf(block); place--) {
        if (isGone(rings[place] as number)) rings[place] = this.#pop(audience);
      }
      filled = BLOCK_RINGS;
      block = next;
    }
    if (audience.count === 0) this.#audiences.delete(author);
  }

  /** Takes the last that came away. */
  #pop(audience: Audience): number {
    const { first } = audience;
    audience.filled -= 1;
    audience.count -= 1;
    const last = this.#chunk(first)[placeOf(first) + audience.filled] as number;
    if (audience.filled > 0) return last;
    audience.first = this.#next(first);
    audience.filled = BLOCK_RINGS;
    this.#setNext(first, this.#free);
    this.#free = first;
    return last;
  }

  /** A block before the chain that begins with `next`. */
  #take(next: number): number {
    let block = this.#free;
    if (block === NONE) {
      block = this.#blocks++;
      if (block >>> CHUNK_BITS >= this.#chunks.length) this.#chunks.push(new Uint32Array(CHUNK_BLOCKS * BLOCK));
    } else this.#free = this.#next(block);
    this.#setNext(block, next);
    return block;
  }

  #next(block: number): number {
    return this.#chunk(block)[placeOf(block) + BLOCK_RINGS] as number;
  }

  #setNext(block: number, next: number): void {
    this.#chunk(block)[placeOf(block) + BLOCK_RINGS] = next;
  }

  #chunk(block: number): Uint32Array {
    return this.#chunks[block >>> CHUNK_BITS] as Uint32Array;
  }
}

/** Where a block begins in its chunk. */
function placeOf(block: number): number {
  return (block & (CHUNK_BLOCKS - 1)) * BLOCK;
}
