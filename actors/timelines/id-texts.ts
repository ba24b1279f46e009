import { hashOf, idOf } from './id-words.js';

/** Cached texts of ids: those of all pages that are read repeatedly; some 2 MB. */
const PLACES_BITS = 15;
const PLACES = 2 ** PLACES_BITS;

/**
 * A cache of ids as text: nearly all rings contain the same few hundred newest ids. A cached text costs no garbage
 * collection, and maps use its computed hash. Each id has two places, of which a new id takes the one that was filled
 * earlier: with one place, two ids of the same page would replace each other at each read.
 */
export class IdTexts {
  #highs = new Uint32Array(0);
  #lows = new Uint32Array(0);
  #texts: string[] = [];
  #misses = 0;

  /** Texts that were not cached. */
  get misses(): number {
    return this.#misses;
  }

  /** Returns the text like `idOf`. */
  of(high: number, low: number): string {
    if (this.#texts.length === 0) this.#make();
    const first = (hashOf(high, low) >>> (32 - PLACES_BITS)) & ~1;
    if (this.#holds(first, high, low)) return this.#texts[first] as string;
    const second = first + 1;
    if (this.#holds(second, high, low)) return this.#texts[second] as string;
    this.#misses += 1;
    this.#put(second, this.#highs[first] as number, this.#lows[first] as number, this.#texts[first] as string);
    // Copies the text, which was concatenated: V8 would examine the parts again for each comparison.
    const text = Buffer.from(idOf(high, low), 'latin1').toString('latin1');
    this.#put(first, high, low, text);
    return text;
  }

  #holds(place: number, high: number, low: number): boolean {
    return this.#lows[place] === low && this.#highs[place] === high;
  }

  #put(place: number, high: number, low: number, text: string): void {
    this.#highs[place] = high;
    this.#lows[place] = low;
    this.#texts[place] = text;
  }

  #make(): void {
    this.#highs = new Uint32Array(PLACES);
    this.#lows = new Uint32Array(PLACES);
    // The place of id zero, which does not exist, must match an unused place.
    this.#texts = new Array<string>(PLACES).fill(idOf(0, 0));
  }
}
