import { idMs } from '../ids.js';
import { foldLatin } from './hashtag.js';

/** Of a word that is kept: longer ones are found by their beginning. 160 bytes at most. */
export const WORD_CHARS_MAX = 40;
/** Words of a status that it is found by: what 500 characters hold in all but contrived texts. */
export const STATUS_WORDS_MAX = 100;
/** Of a name and a display name of 30 characters each. */
export const NAME_WORDS_MAX = 30;
/**
 * Of a text, in UTF-16, as far as it is compared: longer than any that people write in the 500 characters of a status.
 * A letter may become 18 (ﷺ), so a text of 50,000 that is one link would take a quarter of a second each time.
 */
export const COMPARED_CHARS_MAX = 10_000;
/** How a word's statuses are cut into partitions: 25 days. */
export const WORD_BUCKET_MS = 2 ** 31;
/** How many of them back a search goes: two years. */
export const WORD_BUCKETS_MAX = 30;

const token = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts that put no spaces between words: found by pairs of characters. */
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const isSpaceless =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Text as it is compared: width, case, the accents of Latin letters and what is past COMPARED_CHARS_MAX do not count. */
export function comparable(text: string): string {
  return foldLatin(text.slice(0, COMPARED_CHARS_MAX).normalize('NFKC').toLowerCase());
}

/** The distinct words of a text as they are compared, in order, at most `max`. Linear in the text's length. */
export function wordsOf(text: string, max: number): string[] {
  const words = new Set<string>();
  for (const [run] of comparable(text).matchAll(token)) {
    for (const [part] of run.matchAll(spaceless)) {
      if (words.size >= max) return [...words].slice(0, max);
      if (isSpaceless.test(part)) for (const pair of pairsOf(part)) words.add(pair);
      else words.add(Array.from(part).slice(0, WORD_CHARS_MAX).join(''));
    }
  }
  return [...words].slice(0, max);
}

/** What a person is found by: the name, its parts, and the words of the display name. */
export function nameWords(username: string, displayName: string): string[] {
  const whole = comparable(username).slice(0, WORD_CHARS_MAX);
  return [...new Set([whole, ...wordsOf(username, NAME_WORDS_MAX), ...wordsOf(displayName, NAME_WORDS_MAX)])];
}

/** Words lie together with those that begin alike. */
export function wordStart(word: string): string {
  return Array.from(word).slice(0, 2).join('');
}

/** Of one letter: what begins so lies in many places. */
export const isLetter = (word: string): boolean => wordStart(word).length < 2;

/** Under which words lie that begin so. */
export const startsOf = (word: string): string[] => (isLetter(word) ? startsWithLetter(word) : [wordStart(word)]);

/** Letters that follow one another in Unicode, from the first to the last, of alphabets of some dozens. */
const ALPHABETS = ['09', 'az', 'αω', 'аџ', 'աֆ', 'את', 'ءي', 'აჰ', 'अ्', 'ぁゖ', 'ァヺ'] as const;
/** What stands in names beside them. */
const IN_LATIN_NAMES = ['09', 'az', '__'] as const;

/**
 * Under which a word of one letter and those that begin with it lie: with each letter of its alphabet behind it, a
 * hundred at most. Of scripts of thousands only the word itself is found.
 */
export function startsWithLetter(letter: string): string[] {
  const isIn = ([first = '', last = '']: string) => first <= letter && letter <= last;
  const alphabet = ALPHABETS.find(isIn);
  if (alphabet === undefined && letter !== '_') return [letter];
  const spans = alphabet === undefined || IN_LATIN_NAMES.some(isIn) ? IN_LATIN_NAMES : [alphabet];
  return [letter, ...spans.flatMap((span) => lettersOf(span).map((next) => `${letter}${next}`))];
}

function lettersOf([first = '', last = '']: string): string[] {
  const from = first.codePointAt(0) ?? 0;
  const count = (last.codePointAt(0) ?? 0) - from + 1;
  return Array.from({ length: count }, (_, place) => String.fromCodePoint(from + place));
}

export function wordBucket(statusId: string): number {
  return Math.floor(idMs(statusId) / WORD_BUCKET_MS);
}

function pairsOf(part: string): string[] {
  const letters = Array.from(part);
  if (letters.length === 1) return letters;
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}
