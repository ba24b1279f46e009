import { compareWords } from './id-words.js';

/** Ids of one chunk of memory, 512 KiB of address space: more room costs no copying. */
const CHUNK_BITS = 16;
const CHUNK_IDS = 2 ** CHUNK_BITS;
const CHUNK_MASK = CHUNK_IDS - 1;
/** Numbers to begin with: some times what one ring holds. */
const CAPACITY_MIN = 4_096;
/** Numbers for each list before any is used again: so that each new id pays for half a list looked through at most. */
const CAPACITY_PER_LIST = 16;
/** Spreads ids that differ in few bits. Source: Knuth, The Art of Computer Programming 3, 6.4: 2^32 by the golden ratio. */
const SPREAD = 0x9e3779b1;

/** Whoever holds numbers, as lists of them. */
export interface NumberHolder {
  readonly lists: () => number;
  /** `index`: below `lists`. What it held before may be among them. */
  readonly list: (index: number) => Uint32Array;
}

/**
 * Numbers of 32 bits for ids of 64, so that many lists of the same ids take half the memory. An id has one number
 * mostly, sometimes several: compare ids, not numbers. A number that no list holds any more is given to another id: the
 * lists are looked through little by little, while new ids come; what was not found by then is free.
 */
export class NumberedIds {
  /** High and low word of each number's id. 0 is nobody's number. */
  readonly #chunks: Uint32Array[] = [];
  readonly #capacityPerList: number;
  #capacity = 0;
  /** A bit for each number that a list may hold; `#next` goes through them once, taking the others. */
  #used = new Uint32Array(0);
  #next = 1;
  /** Numbers to be taken in this pass, and taken so far. */
  #free = 0;
  #taken = 0;
  /** A bit for each number that a list holds, as far as was looked; the next pass goes by them. */
  #found = new Uint32Array(0);
  #looking: { readonly lists: number; looked: number } | undefined;
  /** By a hash of the id: a number that it may have. */
  #recent = new Uint32Array(0);
  #hashShift = 0;

  constructor(
    private readonly holder: NumberHolder,
    options: { readonly capacityMin?: number; readonly capacityPerList?: number } = {},
  ) {
    this.#capacityPerList = options.capacityPerList ?? CAPACITY_PER_LIST;
    this.#grow(options.capacityMin ?? CAPACITY_MIN);
  }

  /** Memory reserved, touched or not. */
  get bytes(): number {
    return this.#chunks.length * CHUNK_IDS * 8 + this.#recent.byteLength + this.#used.byteLength * 2;
  }

  /** To be put into a list before the next is asked for. */
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

  /** The number's id before this one (negative), the same (0), or behind it. */
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
      // The lowest bit of all that are set.
      this.#next = unused === 0 ? (word + 1) * 32 : word * 32 + 31 - Math.clz32(unused & -unused);
      if (this.#next >= this.#capacity) this.#passed();
      else if (unused !== 0) return this.#next++;
    }
  }

  /** Every number is used, as far as is known. */
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
    // Half of them is free, or passes would follow one another ever faster.
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

  /** In the third quarter of a pass all lists are looked through, so many for each number taken. */
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
    return Math.imul(low ^ Math.imul(high, SPREAD), SPREAD) >>> this.#hashShift;
  }
}

function countBits(words: Uint32Array): number {
  let count = 0;
  for (let word of words) for (; word !== 0; word &= word - 1) count += 1;
  return count;
}
