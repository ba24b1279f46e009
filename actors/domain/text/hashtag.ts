import { idMs } from '../ids.js';

/** UTF-8 bytes of a hashtag's name: longer than any word; followed ones travel with the relations. What is longer is none. */
export const HASHTAG_BYTES_MAX = 200;
/** As it is written, in UTF-16: of 200 letters with four marks each. A letter may become 18, so longer ones are not looked at. */
export const HASHTAG_WRITTEN_MAX = 1_000;
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
  if (written.length > HASHTAG_WRITTEN_MAX || !notOnlyDigits.test(written)) return undefined;
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

/** Of each of any, all and none. Source: Mastodon TagFeed::LIMIT_PER_MODE. */
const TAGS_PER_MODE_MAX = 4;

/** Which hashtags' statuses are wanted; names as hashtagName gives them. */
export interface TagWish {
  readonly tag: string;
  /** These as well. */
  readonly any: readonly string[];
  /** Only what has all of these, too. */
  readonly all: readonly string[];
  /** Nothing that has any of these. */
  readonly none: readonly string[];
}

/** A wish as somebody writes it; undefined when its first name can be no hashtag, others that can be none are left out. */
export function tagWish(
  written: string,
  more: { readonly [mode in 'any' | 'all' | 'none']?: readonly string[] | undefined },
): TagWish | undefined {
  const tag = namedHashtag(written);
  const names = (list: readonly string[] = []) =>
    list.flatMap((one) => namedHashtag(one) ?? []).slice(0, TAGS_PER_MODE_MAX);
  return tag === undefined ? undefined : { tag, any: names(more.any), all: names(more.all), none: names(more.none) };
}

/** Whether a status is one of those wished for. */
export function isWished(status: Parameters<typeof indexedTags>[0], { tag, any, all, none }: TagWish): boolean {
  if (status.visibility !== 'public' || status.reblogOfId !== undefined) return false;
  const has = (name: string) => status.tags.includes(name);
  return (has(tag) || any.some(has)) && all.every(has) && !none.some(has);
}
