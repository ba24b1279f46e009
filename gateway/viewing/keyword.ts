/** Letters, marks, digits and joining punctuation of any script: what words are made of. */
const WORD = '[\\p{L}\\p{M}\\p{N}\\p{Pc}]';
const beginsWithWord = new RegExp(`^${WORD}`, 'u');
const endsWithWord = new RegExp(`${WORD}$`, 'u');
/** Longest character there is, in UTF-16. */
const CHARACTER_UNITS_MAX = 2;
/** Up to here the engine's own search is fast at worst, too; most words are not there. */
const SHORT_UNITS_MAX = 16;

/** Text as keywords are looked for in it: whatever its case and composition. */
export function folded(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/**
 * A word or phrase to be looked for, in time proportional to the text alone: who writes a text and who writes a
 * keyword may be out for the opposite. Knuth, Morris and Pratt's search (SIAM J. Comput. 6.2, 1977).
 */
export class Keyword {
  readonly #units: string;
  /** How much of the keyword still stands, by how much of it did when the next unit was another. */
  readonly #standing: Uint16Array;
  readonly #needsStart: boolean;
  readonly #needsEnd: boolean;

  /** Whole words only where the keyword itself begins, or ends, with what words are made of. */
  constructor(keyword: string, wholeWord: boolean) {
    this.#units = folded(keyword);
    this.#needsStart = wholeWord && beginsWithWord.test(this.#units);
    this.#needsEnd = wholeWord && endsWithWord.test(this.#units);
    this.#standing = standing(this.#units);
  }

  /** `text`: folded. */
  isIn(text: string): boolean {
    const { length } = this.#units;
    if (length <= SHORT_UNITS_MAX && !text.includes(this.#units)) return false;
    let matched = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      while (matched > 0 && (matched === length || this.#units.charCodeAt(matched) !== unit))
        matched = this.#standing[matched - 1] ?? 0;
      if (this.#units.charCodeAt(matched) === unit) matched++;
      if (matched === length && this.#standsAlone(text, at + 1 - length, at + 1)) return true;
    }
    return false;
  }

  #standsAlone(text: string, start: number, end: number): boolean {
    if (this.#needsStart && endsWithWord.test(text.slice(Math.max(0, start - CHARACTER_UNITS_MAX), start)))
      return false;
    return !(this.#needsEnd && beginsWithWord.test(text.slice(end, end + CHARACTER_UNITS_MAX)));
  }
}

function standing(units: string): Uint16Array {
  const table = new Uint16Array(units.length);
  for (let at = 1, matched = 0; at < units.length; at++) {
    while (matched > 0 && units.charCodeAt(at) !== units.charCodeAt(matched)) matched = table[matched - 1] ?? 0;
    if (units.charCodeAt(at) === units.charCodeAt(matched)) matched++;
    table[at] = matched;
  }
  return table;
}
