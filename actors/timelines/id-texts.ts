import { idOf } from './id-words.js';

/** Cached texts of ids: those of all pages that are read repeatedly; some 2 MB. */
const PLACES_BITS = 15;
const PLACES = 2 ** PLACES_BITS;

/**
 * A cache of ids as text: nearly all rings contain the same few hundred newest ids. A cached text costs no garbage
 * collection, and maps use its computed hash. Each id has one place, which the latest id with that place overwrites.
 */
export class IdTexts {
  #highs = new Uint32Array(0);
  #lows = new Uint32Array(0);
  #texts: string[] = [];

  /** Returns the text like `idOf`. */
  of(high: number, low: number): string {
    if (this.#texts.length === 0) this.#make();
    const place = Math.imul(low ^ high, 0x9e3779b1) >>> (32 - PLACES_BITS);
    if (this.#lows[place] === low && this.#highs[place] === high) return this.#texts[place] as string;
    // Copies the text, which was concatenated: V8 would examine the parts again for each comparison.
    const text = Buffer.from(idOf(high, low), 'latin1').toString('latin1');
    this.#highs[place] = high;
    this.#lows[place] = low;
    this.#texts[place] = text;
    return text;
  }

  #make(): void {
    this.#highs = new Uint32Array(PLACES);
    this.#lows = new Uint32Array(PLACES);
    // The place of id zero, which does not exist, must match an unused place.
    this.#texts = new Array<string>(PLACES).fill(idOf(0, 0));
  }
}
