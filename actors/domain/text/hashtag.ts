import { idMs } from '../ids.js';

/**
 * UTF-8 bytes of a hashtag's name: longer than any word. Followed hashtags travel with the relations. A longer text is
 * no hashtag.
 */
export const HASHTAG_BYTES_MAX = 200;
/**
 * UTF-16 length of a hashtag as it is written: 200 letters with four marks each. Normalisation may turn a letter into
 * 18, so longer ones are not examined.
 */
export const HASHTAG_WRITTEN_MAX = 1_000;
/** Hashtags by which one status is indexed, the first in its text: more than any text that is meant to be read has. */
export const STATUS_TAGS_INDEXED_MAX = 60;
/** Size of the partitions of hashtag timelines, 37 hours: a million statuses a day stay below 100 MB. */
export const TAG_BUCKET_MS = 2 ** 27;

const ascii = /^[\x20-\x7e]*$/;
const latinWithMarks = /(\p{Script=Latin})\p{M}+/gu;
const body = /^[\p{L}\p{N}\p{M}_](?:[·・\u200c]?[\p{L}\p{N}\p{M}_])*$/u;
const notOnlyDigits = /[\p{L}\p{M}_]/u;
/** Plain forms of Latin letters that Unicode does not decompose. */
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

/** Returns the canonical name of a hashtag, which ignores width, case, and accents on Latin letters. */
export function hashtagName(written: string): string {
  if (ascii.test(written)) return written.toLowerCase();
  return foldLatin(written.normalize('NFKC').toLowerCase());
}

/** Removes the accents of Latin letters. Other scripts keep their marks, which distinguish words there. */
export function foldLatin(lowered: string): string {
  return lowered
    .normalize('NFD')
    .replace(latinWithMarks, '$1')
    .normalize('NFC')
    .replace(folded, (letter) => plain[letter] ?? letter);
}

/**
 * Returns the canonical name of a hashtag with or without its #; undefined if it cannot be one. Linear in its length.
 */
export function namedHashtag(text: string): string | undefined {
  const written = text.replace(/^[#＃]/, '');
  return body.test(written) ? usableName(written) : undefined;
}

/** Returns the canonical name of a text in the form of a hashtag, unless it is only a number, or too long. */
export function usableName(written: string): string | undefined {
  if (written.length > HASHTAG_WRITTEN_MAX || !notOnlyDigits.test(written)) return undefined;
  const name = hashtagName(written);
  return name !== '' && Buffer.byteLength(name) <= HASHTAG_BYTES_MAX ? name : undefined;
}

export function tagBucket(statusId: string): number {
  return Math.floor(idMs(statusId) / TAG_BUCKET_MS);
}

/** Returns the hashtags in whose timelines a status appears: those of public statuses, including replies. */
export function indexedTags(status: {
  readonly visibility: string;
  readonly reblogOfId?: string | undefined;
  readonly tags: readonly string[];
}): readonly string[] {
  if (status.tags.length === 0 || status.visibility !== 'public' || status.reblogOfId !== undefined) return NONE;
  return status.tags.slice(0, STATUS_TAGS_INDEXED_MAX);
}

const NONE: readonly string[] = [];

/** Hashtags in each of any, all and none. Source: Mastodon TagFeed::LIMIT_PER_MODE. */
const TAGS_PER_MODE_MAX = 4;

/** Selection of a hashtag timeline; names in the form of `hashtagName`. */
export interface TagWish {
  readonly tag: string;
  /** Statuses with any of these are included, too. */
  readonly any: readonly string[];
  /** Only statuses with all of these are included. */
  readonly all: readonly string[];
  /** Statuses with any of these are excluded. */
  readonly none: readonly string[];
}

/** Parses a selection; undefined when its first name is no hashtag. Other invalid names are dropped. */
export function tagWish(
  written: string,
  more: { readonly [mode in 'any' | 'all' | 'none']?: readonly string[] | undefined },
): TagWish | undefined {
  const tag = namedHashtag(written);
  const names = (list: readonly string[] = []) =>
    list.flatMap((one) => namedHashtag(one) ?? []).slice(0, TAGS_PER_MODE_MAX);
  return tag === undefined ? undefined : { tag, any: names(more.any), all: names(more.all), none: names(more.none) };
}

/** True if the status matches the selection. */
export function isWished(status: Parameters<typeof indexedTags>[0], { tag, any, all, none }: TagWish): boolean {
  if (status.visibility !== 'public' || status.reblogOfId !== undefined) return false;
  const has = (name: string) => status.tags.includes(name);
  return (has(tag) || any.some(has)) && all.every(has) && !none.some(has);
}
