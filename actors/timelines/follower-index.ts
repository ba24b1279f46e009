/** Places of a block, which takes two cache lines. The last place holds the number of the next block. */
const BLOCK = 32;
const BLOCK_RINGS = BLOCK - 1;
/** Blocks of one chunk of memory, 2 MiB. */
const CHUNK_BITS = 14;
const CHUNK_BLOCKS = 2 ** CHUNK_BITS;
/** The number that stands for no block. */
const NONE = 0;

/** The rings of an author's followers: a chain of blocks, all full but the first. */
interface RingChain {
  first: number;
  /** Rings in the first block. */
  filled: number;
  count: number;
}

/**
 * Maps each author to the rings of local followers. It takes 4 bytes for each pair, and some hundred for each author.
 * Separate arrays took another hundred per author, and a fifth of their places were unused.
 */
export class FollowerIndex {
  readonly #audiences = new Map<string, RingChain>();
  readonly #chunks: Uint32Array[] = [];
  #blocks = 1;
  /** First block of the chain of unused blocks. */
  #free = NONE;

  /** Returns the number of rings of the author's followers; 0 for an unknown author. */
  count(author: string): number {
    return this.#audiences.get(author)?.count ?? 0;
  }

  /** Visits the rings of the author's followers, in no order, in slices: `rings[from]` up to `rings[to]`, exclusive. */
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

  /** Adds a ring, which must not be among the author's yet. Returns the new number of rings. */
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

  /** Removes a ring. Scans all of the author's rings: microseconds for ten thousand. */
  remove(author: string, ring: number): void {
    this.#removeWhere(author, (one) => one === ring);
  }

  /** Removes the author and returns its rings. */
  take(author: string): number[] {
    const all: number[] = [];
    this.each(author, (rings, from, to) => {
      for (let place = from; place < to; place++) all.push(rings[place] as number);
    });
    this.#removeWhere(author, () => true);
    return all;
  }

  /** Removes all rings for which `isGone` returns true. One pass over all pairs: some 2 ns each. */
  sweep(isGone: (ring: number) => boolean): void {
    for (const author of this.#audiences.keys()) this.#removeWhere(author, isGone);
  }

  /** Returns the authors whose statuses are delivered to each of these rings. One pass over all pairs. */
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

  /** Removes rings. The last ring that was added overwrites a removed one. */
  #removeWhere(author: string, isGone: (ring: number) => boolean): void {
    const audience = this.#audiences.get(author);
    if (audience === undefined) return;
    let filled = audience.filled;
    for (let block = audience.first; block !== NONE; ) {
      const next = this.#next(block);
      const rings = this.#chunk(block);
      // Iterates backwards, so that in the first block the overwriting ring has been examined already.
      for (let place = placeOf(block) + filled - 1; place >= placeOf(block); place--) {
        if (isGone(rings[place] as number)) rings[place] = this.#pop(audience);
      }
      filled = BLOCK_RINGS;
      block = next;
    }
    if (audience.count === 0) this.#audiences.delete(author);
  }

  /** Removes and returns the last ring that was added. */
  #pop(audience: RingChain): number {
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

  /** Allocates a block and puts it before the chain that begins with `next`. */
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

/** Returns the position of a block in its chunk. */
function placeOf(block: number): number {
  return (block & (CHUNK_BLOCKS - 1)) * BLOCK;
}
