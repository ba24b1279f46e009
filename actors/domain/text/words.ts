import { idMs } from '../ids.js';
import { foldLatin } from './hashtag.js';

/** Characters of an indexed word, 160 bytes at most. Longer words are found by their beginning. */
export const WORD_CHARS_MAX = 40;
/** Words by which a status is indexed: all words of nearly every text of 500 characters. */
export const STATUS_WORDS_MAX = 100;
/** Words of a name and a display name of 30 characters each. */
export const NAME_WORDS_MAX = 30;
/**
 * UTF-16 length of a text that is compared: longer than people write in the 500 characters of a status. Normalisation
 * may turn a letter into 18 (ﷺ), so a text of 50,000 that is one link would take a quarter of a second each time.
 */
export const COMPARED_CHARS_MAX = 10_000;
/** Size of the partitions of a word's statuses: 25 days. */
export const WORD_BUCKET_MS = 2 ** 31;
/** Partitions that a search reads back in time: two years. */
export const WORD_BUCKETS_MAX = 30;

const token = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts without spaces between words. Their texts are indexed by pairs of characters. */
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const isSpaceless =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * Returns the text in a form for comparison. It ignores width, case, accents of Latin letters, and everything after
 * COMPARED_CHARS_MAX.
 */
export function comparable(text: string): string {
  return foldLatin(text.slice(0, COMPARED_CHARS_MAX).normalize('NFKC').toLowerCase());
}

/**
 * Returns the distinct words of a text in the form of `comparable`, in order, at most `max`. Linear in the text's
 * length.
 */
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

/** Returns the words by which an account is found: the name, its parts, and the words of the display name. */
export function nameWords(username: string, displayName: string): string[] {
  const whole = comparable(username).slice(0, WORD_CHARS_MAX);
  return [...new Set([whole, ...wordsOf(username, NAME_WORDS_MAX), ...wordsOf(displayName, NAME_WORDS_MAX)])];
}

/** Returns the first two letters: words with the same start share a partition. */
export function wordStart(word: string): string {
  return Array.from(word).slice(0, 2).join('');
}

/** True for a word of one letter, whose matches are in many partitions. */
export const isLetter = (word: string): boolean => wordStart(word).length < 2;

/** Returns the partitions of words that begin with this one. */
export const startsOf = (word: string): string[] => (isLetter(word) ? startsWithLetter(word) : [wordStart(word)]);

/** Ranges of consecutive Unicode letters, for alphabets of some dozens of letters. */
const ALPHABETS = ['09', 'az', 'αω', 'аџ', 'աֆ', 'את', 'ءي', 'აჰ', 'अ्', 'ぁゖ', 'ァヺ'] as const;
/** Other characters that occur in Latin names. */
const IN_LATIN_NAMES = ['09', 'az', '__'] as const;

/**
 * Returns the partitions of words that begin with one letter: one for each next letter of its alphabet, a hundred at
 * most. In scripts of thousands of letters only the word itself is found.
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
