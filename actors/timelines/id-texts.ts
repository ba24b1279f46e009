import { idOf } from './id-words.js';

/** Ids whose text is kept: those of all pages that are asked for again and again; some 2 MB. */
const PLACES_BITS = 15;
const PLACES = 2 ** PLACES_BITS;

/**
 * Ids as text, kept: the same few hundred newest ids stand in nearly all rings. One that is kept costs no memory to be
 * collected, and maps find what belongs to it without reckoning its hash again. Each id has one place, and whichever
 * came last has it.
 */
export class IdTexts {
  #highs = new Uint32Array(0);
  #lows = new Uint32Array(0);
  #texts: string[] = [];

  /** As `idOf`. */
  of(high: number, low: number): string {
    if (this.#texts.length === 0) this.#make();
    const place = Math.imul(low ^ high, 0x9e3779b1) >>> (32 - PLACES_BITS);
    if (this.#lows[place] === low && this.#highs[place] === high) return this.#texts[place] as string;
    // Copied, since it was put together of parts: V8 would look at the parts again for each comparison.
    const text = Buffer.from(idOf(high, low), 'latin1').toString('latin1');
    this.#highs[place] = high;
    this.#lows[place] = low;
    this.#texts[place] = text;
    return text;
  }

  #make(): void {
    this.#highs = new Uint32Array(PLACES);
    this.#lows = new Uint32Array(PLACES);
    // The place of zero, which is nobody's, holds what an untouched place says.
    this.#texts = new Array<string>(PLACES).fill(idOf(0, 0));
  }
}
