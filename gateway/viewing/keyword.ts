/** Characters of words: letters, marks, digits and joining punctuation of any script. */
const WORD = '[\\p{L}\\p{M}\\p{N}\\p{Pc}]';
const beginsWithWord = new RegExp(`^${WORD}`, 'u');
const endsWithWord = new RegExp(`${WORD}$`, 'u');
/** Longest character in UTF-16 units. */
const CHARACTER_UNITS_MAX = 2;
/**
 * Keywords up to this length are first searched by the engine, whose search is fast for them even in the worst case.
 * Most keywords are not found.
 */
const SHORT_UNITS_MAX = 16;

/** Returns text in the form in which keywords are compared, without differences of case and composition. */
export function folded(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/**
 * A word or phrase to search for, in time proportional to the text alone: the authors of texts and of keywords may both
 * be hostile. Uses the search of Knuth, Morris and Pratt (SIAM J. Comput. 6.2, 1977).
 */
export class Keyword {
  readonly #units: string;
  /** Failure table: length of the prefix that still matches after a mismatch, by the length that matched before. */
  readonly #standing: Uint16Array;
  readonly #needsStart: boolean;
  readonly #needsEnd: boolean;

  /** `wholeWord` applies only at an end of the keyword that is itself a character of a word. */
  constructor(keyword: string, wholeWord: boolean) {
    this.#units = folded(keyword);
    this.#needsStart = wholeWord && beginsWithWord.test(this.#units);
    this.#needsEnd = wholeWord && endsWithWord.test(this.#units);
    this.#standing = standing(this.#units);
  }

  /** Returns true if the text contains the keyword. `text` must be folded. */
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
