import type { AccountMedia, StorePoll, StoreStatusRecord } from '../../../proto/gen/types.js';
import { foreignHtml, foreignName } from '../../domain/text/foreign-html.js';
import { namedHashtag } from '../../domain/text/hashtag.js';
import { escapeHtml } from '../../domain/text/plain-text.js';
import { pageOf } from '../reading/authority.js';
import { policiesIn } from '../reading/interaction-policy.js';
import { quoteIn, unprovenQuote } from '../reading/quote.js';
import { canonicalUri, hostOf } from '../reading/uris.js';
import {
  asList,
  audienceOf,
  countOf,
  idOf,
  isObject,
  isTrue,
  type JsonObject,
  objectOf,
  textOf,
  timeOf,
  typeAmong,
  typesOf,
} from '../reading/values.js';
import { emojisOf } from './profile.js';

/** Objects that are statuses, and those that are shown by their title and a link. Source: Mastodon ActivityPub. */
const TEXTS: ReadonlySet<string> = new Set(['Note', 'Question']);
const LINKED: ReadonlySet<string> = new Set(['Article', 'Page', 'Event', 'Image', 'Audio', 'Video']);
const STATUSES: ReadonlySet<string> = new Set([...TEXTS, ...LINKED]);

/** Characters of a text as HTML, and of a warning. Excess is cut. */
const TEXT_CHARS_MAX = 100_000;
const WARNING_CHARS_MAX = 2_000;
const TITLE_CHARS_MAX = 500;
const DESCRIPTION_CHARS_MAX = 10_000;
const MEDIA_MAX = 16;
const OPTIONS_MAX = 20;
const OPTION_CHARS_MAX = 500;
const MENTIONS_MAX = 100;
const HASHTAGS_MAX = 64;
/** Tags and attachments that are read. */
const READ_MAX = 500;
/** Largest number of pixels on a side, and of votes, that is believed. */
const SIDE_MAX = 100_000;
const VOTES_MAX = 2 ** 31 - 1;
/** End of a poll without one: nobody waits for it. */
const ENDLESS_MS = 100 * 365 * 86_400_000;

/** A status as its document describes it. Accounts and the parent are still addresses. */
export interface ReadNote {
  /** Without id, author and conversation, which the author's actor adds. */
  readonly status: StoreStatusRecord;
  /** Actors to whom it is addressed, or whom it names. */
  readonly mentioned: readonly string[];
  readonly parent: string | undefined;
}

/** The facts about the author that the meaning of a document depends on. */
export interface NoteAuthor {
  readonly uri: string;
  readonly domain: string;
  readonly followersUri: string;
}

/**
 * Reads the document of a status that `authority()` has allowed. Undefined: it is none, or a vote in a poll. All values
 * are optional; excess is cut.
 */
export function readNote(note: JsonObject, author: NoteAuthor, nowMs: number): ReadNote | undefined {
  const type = typeAmong(note, STATUSES);
  const uri = idOf(note);
  if (type === undefined || uri === undefined || isVote(note)) return undefined;
  const url = pageOf(note.url, author.uri) ?? '';
  const text = LINKED.has(type) ? linked(note, url || uri) : foreignHtml(contentOf(note), TEXT_CHARS_MAX);
  const media = mediaOf(note.attachment);
  const poll = type === 'Question' ? pollOf(note, nowMs) : undefined;
  const { visibility, addressed } = audienceOf(note.to, note.cc, author.followersUri || undefined);
  const parent = idOf(note.inReplyTo);
  const policies = policiesIn(note, 'canQuote', author.followersUri);
  const quote = quoteIn(note);
  const createdAtMs = Math.min(nowMs, Math.max(0, timeOf(note.published) ?? nowMs));
  const status: StoreStatusRecord = {
    id: '',
    accountId: '',
    conversationId: '',
    ...text,
    spoilerText: foreignName(LINKED.has(type) ? '' : textOf(note.summary, WARNING_CHARS_MAX), WARNING_CHARS_MAX),
    visibility,
    sensitive: isTrue(note.sensitive),
    language: languageOf(note),
    mentions: [],
    tags: tagsOf(note.tag),
    createdAtMs,
    editedAtMs: 0,
    deleted: false,
    favourites: 0,
    reblogs: 0,
    replies: 0,
    ...(media.length === 0 ? {} : { media: { media } }),
    ...(poll === undefined ? {} : { poll }),
    quotePolicy: policies.automatic,
    ...(policies.manual === 'nobody' ? {} : { manualQuotePolicy: policies.manual }),
    // The status that it quotes shows when its author's consent is proven (QuoteProofs).
    ...(quote === undefined ? {} : { quote: unprovenQuote(quote) }),
    domain: author.domain,
    origin: { uri, url },
    remote: {
      emojis: emojisOf(note.tag),
      updatedMs: Math.min(nowMs, Math.max(0, timeOf(note.updated) ?? 0)),
      inReplyToUri: parent ?? '',
      repliesUri: idOf(note.replies) ?? '',
    },
  };
  const named = mentionsOf(note.tag);
  // Those addressed alone may see it, too: nobody else could tell them.
  const isClosed = visibility === 'direct' || visibility === 'private';
  const all = isClosed ? [...named, ...addressed] : named;
  return { status, mentioned: [...new Set(all)].slice(0, MENTIONS_MAX), parent };
}

/** A vote is a Note with a name, without a text, that answers a poll. */
const isVote = (note: JsonObject): boolean =>
  typeof note.name === 'string' && note.content === undefined && note.inReplyTo !== undefined;

function contentOf({ content, contentMap }: JsonObject): string {
  if (typeof content === 'string') return textOf(content, TEXT_CHARS_MAX);
  const [first] = Object.values(objectOf(contentMap) ?? {});
  return textOf(first, TEXT_CHARS_MAX);
}

function linked(note: JsonObject, address: string): { html: string; text: string } {
  const title = foreignName(textOf(note.name, TITLE_CHARS_MAX), TITLE_CHARS_MAX);
  const href = escapeHtml(address);
  const link = `<p><a href="${href}" rel="nofollow noopener" target="_blank">${href}</a></p>`;
  const html = title === '' ? link : `<p>${escapeHtml(title)}</p>${link}`;
  return { html, text: title === '' ? address : `${title}\n\n${address}` };
}

/** Returns the language that a document states for its text: a code, without subtags of regions. */
function languageOf({ contentMap, content }: JsonObject): string | undefined {
  const map = objectOf(contentMap) ?? {};
  const codes = Object.keys(map);
  const code = codes.find((one) => map[one] === content) ?? (codes.length === 1 ? codes[0] : undefined);
  return /^[a-z]{2,3}/.exec(code?.toLowerCase() ?? '')?.[0];
}

function* tagsOfType(tag: unknown, type: string): Generator<JsonObject> {
  for (const one of asList(tag, READ_MAX)) if (isObject(one) && typesOf(one).includes(type)) yield one;
}

function tagsOf(tag: unknown): string[] {
  const names = new Set<string>();
  for (const { name } of tagsOfType(tag, 'Hashtag')) {
    const known = typeof name === 'string' ? namedHashtag(name.slice(0, TITLE_CHARS_MAX)) : undefined;
    if (known !== undefined) names.add(known);
    if (names.size === HASHTAGS_MAX) break;
  }
  return [...names];
}

function mentionsOf(tag: unknown): string[] {
  const found = new Set<string>();
  for (const { href } of tagsOfType(tag, 'Mention')) {
    const uri = typeof href === 'string' ? canonicalUri(href) : undefined;
    if (uri !== undefined) found.add(uri);
    if (found.size === MENTIONS_MAX) break;
  }
  return [...found];
}

const FILES: ReadonlySet<string> = new Set(['Document', 'Image', 'Video', 'Audio']);
const KINDS: ReadonlySet<string> = new Set(['image', 'video', 'audio']);

function mediaOf(attachment: unknown): AccountMedia[] {
  const found: AccountMedia[] = [];
  for (const one of asList(attachment, READ_MAX)) {
    if (!isObject(one) || typeAmong(one, FILES) === undefined || found.length === MEDIA_MAX) continue;
    const file = fileOf(one);
    if (file !== undefined) found.push(file);
  }
  return found;
}

function fileOf(file: JsonObject): AccountMedia | undefined {
  const [first] = asList(file.url ?? file.href, 1);
  const href = isObject(first) ? first.href : first;
  const url = typeof href === 'string' ? canonicalUri(href) : undefined;
  if (url === undefined || hostOf(url) === undefined) return undefined;
  const type = textOf(file.mediaType ?? (isObject(first) ? first.mediaType : undefined), 100).toLowerCase();
  const [family = ''] = type.split('/');
  const kind = KINDS.has(family) ? family : (typeAmong(file, FILES) ?? '').toLowerCase();
  const focus = focusOf(file.focalPoint);
  return {
    id: '',
    key: '',
    state: 'ready',
    // A document of an unknown type.
    kind: KINDS.has(kind) ? kind : 'unknown',
    file: '',
    preview: '',
    width: sideOf(file.width),
    height: sideOf(file.height),
    previewWidth: 0,
    previewHeight: 0,
    blurhash: /^[\w#$%*+,\-.:;=?@[\]^{|}~]{6,100}$/.exec(textOf(file.blurhash, 101))?.[0] ?? '',
    description: textOf(file.name ?? file.summary, DESCRIPTION_CHARS_MAX).trim(),
    ...(focus === undefined ? {} : { focus }),
    durationS: 0,
    bitsPerS: 0,
    framesPerS: 0,
    atMs: 0,
    remote: { url, type: /^[a-z]+\/[a-z0-9.+-]+$/.test(type) ? type : '' },
  };
}

const sideOf = (value: unknown): number => Math.min(SIDE_MAX, countOf(value) ?? 0);

function focusOf(value: unknown): { x: number; y: number } | undefined {
  const [x, y] = asList(value, 2);
  const isIn = (one: unknown): one is number => typeof one === 'number' && one >= -1 && one <= 1;
  return isIn(x) && isIn(y) ? { x, y } : undefined;
}

function pollOf(question: JsonObject, nowMs: number): StorePoll | undefined {
  const multiple = Array.isArray(question.anyOf) && question.anyOf.length > 0;
  const options = asList(multiple ? question.anyOf : question.oneOf, OPTIONS_MAX).filter(isObject);
  if (options.length === 0) return undefined;
  const told = options.map((option) => ({
    title: foreignName(textOf(option.name, OPTION_CHARS_MAX), OPTION_CHARS_MAX),
    votes: votesOf(objectOf(option.replies)?.totalItems),
  }));
  const closedMs = timeOf(question.closed) ?? (isTrue(question.closed) ? nowMs : undefined);
  const endMs = timeOf(question.endTime);
  const expiresAtMs = Math.max(0, Math.min(closedMs ?? Number.POSITIVE_INFINITY, endMs ?? nowMs + ENDLESS_MS));
  const sum = told.reduce((all, { votes }) => all + votes, 0);
  const reported = countOf(question.votersCount);
  return {
    options: told,
    expiresAtMs,
    multiple,
    hideTotals: false,
    // In a poll with one choice each vote has its voter.
    voters: Math.min(VOTES_MAX, reported ?? (multiple ? Math.max(0, ...told.map(({ votes }) => votes)) : sum)),
    ended: expiresAtMs <= nowMs,
    round: 0,
  };
}

const votesOf = (value: unknown): number => Math.min(VOTES_MAX, countOf(value) ?? 0);
