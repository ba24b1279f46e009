import { idMs } from './ids.js';

/** UTF-8 bytes of a hashtag's name; a key's column takes 512. What is longer is no hashtag. */
export const HASHTAG_BYTES_MAX = 400;
/** Of one status, the first ones that are found by their name: more than any text that is meant to be read has. */
export const STATUS_TAGS_INDEXED_MAX = 60;
/** How hashtags' statuses are cut into partitions: 37 hours, so a million a day stay below 100 MB. */
export const TAG_BUCKET_MS = 2 ** 27;

const ascii = /^[\x20-\x7e]*$/;
const latinWithMarks = /(\p{Script=Latin})\p{M}+/gu;
const body = /^[\p{L}\p{N}\p{M}_](?:[·・\u200c]?[\p{L}\p{N}\p{M}_])*$/u;
const notOnlyDigits = /[\p{L}\p{M}_]/u;
/** Latin letters whose plain form Unicode does not decompose them to. */
const plain: Readonly<Record<string, string>> = {
  ð: 'd',
  đ: 'd',
  ħ: 'h',
  ı: 'i',
  ĸ: 'k',
  ł: 'l',
  ŋ: 'n',
  ø: 'o',
  ŧ: 't',
};
const folded = new RegExp(`[${Object.keys(plain).join('')}]`, 'g');

/** The name by which a hashtag is found: however it is written, in width, case, or with accents on Latin letters. */
export function hashtagName(written: string): string {
  if (ascii.test(written)) return written.toLowerCase();
  return foldLatin(written.normalize('NFKC').toLowerCase());
}

/** Latin letters without their accents; other scripts keep their marks, which tell words apart there. */
export function foldLatin(lowered: string): string {
  return lowered
    .normalize('NFD')
    .replace(latinWithMarks, '$1')
    .normalize('NFC')
    .replace(folded, (letter) => plain[letter] ?? letter);
}

/** What somebody names as a hashtag, with or without the #; undefined for what can be none. Linear in its length. */
export function namedHashtag(text: string): string | undefined {
  const written = text.replace(/^[#＃]/, '');
  return body.test(written) ? usableName(written) : undefined;
}

/** The name of what has a hashtag's form, unless it is only a number, or too long. */
export function usableName(written: string): string | undefined {
  if (!notOnlyDigits.test(written)) return undefined;
  const name = hashtagName(written);
  return name !== '' && Buffer.byteLength(name) <= HASHTAG_BYTES_MAX ? name : undefined;
}

export function tagBucket(statusId: string): number {
  return Math.floor(idMs(statusId) / TAG_BUCKET_MS);
}

/** The hashtags in whose timelines a status is: those of public ones, replies too. */
export function indexedTags(status: {
  readonly visibility: string;
  readonly reblogOfId?: string | undefined;
  readonly tags: readonly string[];
}): readonly string[] {
  if (status.tags.length === 0 || status.visibility !== 'public' || status.reblogOfId !== undefined) return NONE;
  return status.tags.slice(0, STATUS_TAGS_INDEXED_MAX);
}

const NONE: readonly string[] = [];
