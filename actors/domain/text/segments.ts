import { LinkifyIt } from 'linkify-it';
import { usableName } from './hashtag.js';

/** A piece of text: plain, or something that becomes a link. The joined `raw` of all pieces is the original text. */
export type Segment =
  | { readonly kind: 'text'; readonly raw: string }
  | { readonly kind: 'link'; readonly raw: string }
  /** `acct`: lower case, without the first @; `username`: as typed, without the host. */
  | { readonly kind: 'mention'; readonly raw: string; readonly acct: string; readonly username: string }
  /** `name`: in the form of `hashtagName`, without the #. */
  | { readonly kind: 'tag'; readonly raw: string; readonly name: string };

/** Longest link recognised; longer ones are truncated. Browsers and other servers agree on about 2,000. */
const LINK_CHARS_MAX = 2_048;

/** Longest mention without its first @: a name of 30 characters, @, and a host of 253. Bounds the registry's key. */
export const MENTION_CHARS_MAX = 284;

const linkify = new LinkifyIt({ fuzzyLink: false, fuzzyEmail: false, maxLength: LINK_CHARS_MAX });

// Each pattern consumes what it has examined or fails at once, so the whole scan is linear in the text.
const candidate = /(?<![\p{L}\p{N}\p{M}_/=])(?:https?:(?=\/\/)|[@#＃])/giu;
const mentionBody =
  /@([a-z0-9_]+(?:[.-]+[a-z0-9_]+)*)(?:@([\p{L}\p{N}\p{M}_-]+(?:\.[\p{L}\p{N}\p{M}_-]+)*(?::[0-9]{1,5})?))?/iuy;
const tagBody = /[#＃]([\p{L}\p{N}\p{M}_](?:[·・\u200c]?[\p{L}\p{N}\p{M}_])*)/uy;
/** Characters that change the direction of text, with which a link could hide its host. */
const reordering = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Splits text into plain pieces, links, mentions and hashtags, in order. Linear in the text's length. */
export function segments(text: string): Segment[] {
  const found: Segment[] = [];
  let plainFrom = 0;
  const scan = new RegExp(candidate);
  for (let hit = scan.exec(text); hit !== null; hit = scan.exec(text)) {
    const segment = segmentAt(text, hit.index, hit[0]);
    if (segment === undefined) continue;
    if (hit.index > plainFrom) found.push({ kind: 'text', raw: text.slice(plainFrom, hit.index) });
    found.push(segment);
    plainFrom = hit.index + segment.raw.length;
    scan.lastIndex = plainFrom;
  }
  if (plainFrom < text.length) found.push({ kind: 'text', raw: text.slice(plainFrom) });
  return found;
}

function segmentAt(text: string, index: number, mark: string): Segment | undefined {
  if (mark === '@') return mentionAt(text, index);
  if (mark === '#' || mark === '＃') return tagAt(text, index);
  return linkAt(text, index, mark);
}

function linkAt(text: string, index: number, schema: string): Segment | undefined {
  const length = linkify.testSchemaAt(text, schema, index + schema.length);
  if (length === 0) return undefined;
  const raw = text.slice(index, index + schema.length + length);
  const cut = raw.search(reordering);
  return { kind: 'link', raw: cut < 0 ? raw : raw.slice(0, cut) };
}

function mentionAt(text: string, index: number): Segment | undefined {
  mentionBody.lastIndex = index;
  const match = mentionBody.exec(text);
  const username = match?.[1];
  if (match === null || username === undefined || match[0].length > MENTION_CHARS_MAX + 1) return undefined;
  return { kind: 'mention', raw: match[0], acct: match[0].slice(1).toLowerCase(), username };
}

function tagAt(text: string, index: number): Segment | undefined {
  tagBody.lastIndex = index;
  const match = tagBody.exec(text);
  const written = match?.[1];
  const name = written === undefined ? undefined : usableName(written);
  return match === null || name === undefined ? undefined : { kind: 'tag', raw: match[0], name };
}
