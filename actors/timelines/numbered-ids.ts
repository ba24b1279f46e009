import { compareWords, hashOf } from './id-words.js';

/** Ids of one chunk of memory, 512 KiB of address space: growing copies nothing. */
const CHUNK_BITS = 16;
const CHUNK_IDS = 2 ** CHUNK_BITS;
const CHUNK_MASK = CHUNK_IDS - 1;
/** Initial capacity in numbers: several times the size of one ring. */
const CAPACITY_MIN = 4_096;
/** Numbers for each list before any is reused, so that each new id costs at most half a list of scanning. */
const CAPACITY_PER_LIST = 16;

/** The owner of lists of numbers. */
export interface NumberHolder {
  readonly lists: () => number;
  /** Returns a list; `index` is below `lists`. It may also contain numbers that the list no longer holds. */
  readonly list: (index: number) => Uint32Array;
}

/**
 * Maps 64-bit ids to 32-bit numbers, so that many lists of the same ids take half the memory. An id usually has one
 * number, sometimes several: compare ids, not numbers. A number that no list contains is reused: the lists are scanned
 * in steps while new ids arrive, and numbers not found are free then.
 */
export class NumberedIds {
  /** High and low word of each number's id. Number 0 is unused. */
  readonly #chunks: Uint32Array[] = [];
  readonly #capacityPerList: number;
  #capacity = 0;
  /** A bit for each number that a list may contain. `#next` passes through them once and takes the others. */
  #used = new Uint32Array(0);
  #next = 1;
  /** Numbers that this pass can take, and has taken so far. */
  #free = 0;
  #taken = 0;
  /** A bit for each number that the scan has found in a list so far; the next pass uses them. */
  #found = new Uint32Array(0);
  #looking: { readonly lists: number; looked: number } | undefined;
  /** Candidate numbers by a hash of the id. */
  #recent = new Uint32Array(0);
  #hashShift = 0;

  constructor(
    private readonly holder: NumberHolder,
    options: { readonly capacityMin?: number; readonly capacityPerList?: number } = {},
  ) {
    this.#capacityPerList = options.capacityPerList ?? CAPACITY_PER_LIST;
    this.#grow(options.capacityMin ?? CAPACITY_MIN);
  }

  /** Bytes reserved, touched or not. */
  get bytes(): number {
    return this.#chunks.length * CHUNK_IDS * 8 + this.#recent.byteLength + this.#used.byteLength * 2;
  }

  /** Returns a number for the id. Put it into a list before requesting the next. */
  numberOf(high: number, low: number): number {
    const known = this.#recent[this.#hash(high, low)] as number;
    const number = known !== 0 && this.compare(known, high, low) === 0 ? known : this.#take(high, low);
    const [word, bit] = [number >>> 5, 1 << (number & 31)];
    this.#used[word] = (this.#used[word] as number) | bit;
    if (this.#looking !== undefined) this.#found[word] = (this.#found[word] as number) | bit;
    return number;
  }

  highOf(number: number): number {
    return (this.#chunks[number >>> CHUNK_BITS] as Uint32Array)[(number & CHUNK_MASK) * 2] as number;
  }

  lowOf(number: number): number {
    return (this.#chunks[number >>> CHUNK_BITS] as Uint32Array)[(number & CHUNK_MASK) * 2 + 1] as number;
  }

  /** Compares the number's id with this one: negative, 0, or positive. */
  compare(number: number, high: number, low: number): number {
    return compareWords(this.highOf(number), this.lowOf(number), high, low);
  }

  #take(high: number, low: number): number {
    this.#look();
    const number = this.#nextFree();
    this.#taken += 1;
    const chunk = this.#chunks[number >>> CHUNK_BITS] as Uint32Array;
    const place = (number & CHUNK_MASK) * 2;
    chunk[place] = high;
    chunk[place + 1] = low;
    this.#recent[this.#hash(high, low)] = number;
    return number;
  }

  #nextFree(): number {
    for (;;) {
      const word = this.#next >>> 5;
      const unused = ~(this.#used[word] as number) & (-1 << (this.#next & 31));
      // Selects the lowest set bit.
      this.#next = unused === 0 ? (word + 1) * 32 : word * 32 + 31 - Math.clz32(unused & -unused);
      if (this.#next >= this.#capacity) this.#passed();
      else if (unused !== 0) return this.#next++;
    }
  }

  /** Ends a pass: every number may be used. */
  #passed(): void {
    const looking = this.#looking;
    if (looking === undefined || looking.looked < looking.lists) {
      this.#grow(this.#capacity >>> 1);
      return;
    }
    [this.#used, this.#found] = [this.#found, this.#used];
    this.#looking = undefined;
    this.#next = 1;
    this.#taken = 0;
    this.#free = this.#capacity - countBits(this.#used);
    // At least half of the numbers must be free; otherwise passes would become ever more frequent.
    if (this.#free < this.#capacity >>> 1) this.#grow(this.#capacity >>> 1);
  }

  #grow(more: number): void {
    this.#capacity += Math.ceil(more / 32) * 32;
    this.#free += more;
    while (this.#chunks.length * CHUNK_IDS < this.#capacity) this.#chunks.push(new Uint32Array(CHUNK_IDS * 2));
    const [used, found] = [new Uint32Array(this.#capacity >>> 5), new Uint32Array(this.#capacity >>> 5)];
    used.set(this.#used);
    found.set(this.#found);
    [this.#used, this.#found] = [used, found];
    const hashBits = Math.ceil(Math.log2(this.#capacity)) - 1;
    if (this.#recent.length >= 2 ** hashBits) return;
    this.#recent = new Uint32Array(2 ** hashBits);
    this.#hashShift = 32 - hashBits;
  }

  /** Scans all lists in the third quarter of a pass, a share for each number taken. */
  #look(): void {
    const { holder } = this;
    if (this.#looking === undefined) {
      if (this.#taken < this.#free >>> 1 || this.#capacity < holder.lists() * this.#capacityPerList) return;
      this.#found.fill(0);
      this.#looking = { lists: holder.lists(), looked: 0 };
    }
    const looking = this.#looking;
    const share = (this.#taken - (this.#free >>> 1) + 1) / Math.max(1, this.#free >>> 2);
    const due = Math.min(looking.lists, Math.ceil(looking.lists * share));
    for (; looking.looked < due; looking.looked++) {
      for (const number of holder.list(looking.looked)) {
        this.#found[number >>> 5] = (this.#found[number >>> 5] as number) | (1 << (number & 31));
      }
    }
  }

  #hash(high: number, low: number): number {
    return hashOf(high, low) >>> this.#hashShift;
  }
}

function countBits(words: Uint32Array): number {
  let count = 0;
  for (let word of words) for (; word !== 0; word &= word - 1) count += 1;
  return count;
}
