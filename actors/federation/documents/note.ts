import type { AccountMedia, StoreAccountRecord, StorePoll, StoreStatusRecord } from '../../../proto/gen/types.js';
import { accountUri, statusUri, statusUrl, tagUrl } from '../../domain/addresses.js';
import { fileType, fileUrl } from '../../domain/media.js';
import { quotableBy } from '../../domain/quoting.js';
import { actorAddresses } from './actor.js';
import { asTime, type EmojiPicture, emojiTags, PUBLIC } from './context.js';

/** Objects that a status names, as its document addresses them. */
export interface Surroundings {
  readonly baseUrl: string;
  readonly author: StoreAccountRecord;
  /** Address of the status that it answers; undefined if there is none, or if it was deleted. */
  readonly parentUri: string | undefined;
  /** Address of the collection of its conversation; undefined if that began elsewhere, or must not become known. */
  readonly contextUri: string | undefined;
  /** Accounts mentioned: address, and name with domain (`ann@example.org`). */
  readonly mentions: readonly { readonly uri: string; readonly name: string }[];
  readonly emojis: readonly EmojiPicture[];
  /** Undefined if there is no quote, or if the quoted author does not permit it. */
  readonly quote: NotedQuote | undefined;
  readonly nowMs: number;
}

/** The quote of a status in its document. */
export interface NotedQuote {
  /** Address of the quoted status. */
  readonly uri: string;
  /** False until the quoted author has answered. */
  readonly isPermitted: boolean;
  /** Address of the author's stamp; undefined for quotes of one's own statuses, which need none. */
  readonly stampUri: string | undefined;
}

/** Addressees of an object. */
interface Addressed {
  readonly to: readonly string[];
  readonly cc: readonly string[];
}

/**
 * Returns the addressees of a status by its visibility: `to` and `cc` as Mastodon's four visibilities. `mentioned`:
 * addresses of accounts.
 */
export function addressees(visibility: string, followers: string, mentioned: readonly string[]): Addressed {
  if (visibility === 'public') return { to: [PUBLIC], cc: [followers, ...mentioned] };
  if (visibility === 'unlisted') return { to: [followers], cc: [PUBLIC, ...mentioned] };
  if (visibility === 'private') return { to: [followers], cc: mentioned };
  return { to: mentioned, cc: [] };
}

/** Addresses of the collections of a status. Source: ActivityPub §5.7, §5.8; ActivityStreams Vocabulary, `replies`. */
export const statusAddresses = (uri: string) => ({
  replies: `${uri}/replies`,
  likes: `${uri}/likes`,
  shares: `${uri}/shares`,
});

/** Renders a collection that shows its size only. */
export const countDocument = (id: string, totalItems: number) => ({ id, type: 'Collection', totalItems });

/** Answers are only named. The sizes of the others are numbers that other servers show. */
function collectionsOf(uri: string, { favourites, reblogs }: StoreStatusRecord) {
  const { replies, likes, shares } = statusAddresses(uri);
  return { replies, likes: countDocument(likes, favourites), shares: countDocument(shares, reblogs) };
}

/** Renders a local status that is no reblog as a Note or, with a poll, as a Question; without the context. */
export function noteDocument(record: StoreStatusRecord, around: Surroundings) {
  const { baseUrl, author, parentUri, contextUri, nowMs } = around;
  const id = statusUri(baseUrl, record, author);
  const by = accountUri(baseUrl, author);
  const mentioned = around.mentions.map(({ uri }) => uri);
  return {
    id,
    type: record.poll === undefined ? 'Note' : 'Question',
    summary: record.spoilerText || null,
    inReplyTo: parentUri ?? null,
    ...(contextUri === undefined ? {} : { context: contextUri }),
    published: asTime(record.createdAtMs),
    ...(record.editedAtMs > 0 ? { updated: asTime(record.editedAtMs) } : {}),
    url: statusUrl(baseUrl, record, author),
    attributedTo: by,
    ...addressees(record.visibility, actorAddresses(by).followers, mentioned),
    sensitive: record.sensitive || author.sensitized === true,
    content: record.html,
    ...(record.language ? { contentMap: { [record.language]: record.html } } : {}),
    attachment: (record.media?.media ?? [])
      .filter(({ state }) => state === 'ready')
      .map((media) => attachment(baseUrl, media)),
    tag: tags(record, around),
    ...quoteTerms(around.quote),
    interactionPolicy: quotePolicy(record, by),
    ...collectionsOf(id, record),
    ...(record.poll === undefined ? {} : question(record.poll, nowMs)),
  };
}

function tags(record: StoreStatusRecord, { baseUrl, mentions, emojis }: Surroundings) {
  return [
    ...mentions.map(({ uri, name }) => ({ type: 'Mention', href: uri, name: `@${name}` })),
    ...record.tags.map((name) => ({ type: 'Hashtag', href: tagUrl(baseUrl, name), name: `#${name}` })),
    ...emojiTags(emojis, fileType),
  ];
}

function attachment(baseUrl: string, media: AccountMedia) {
  const { file, description, blurhash, width, height, focus } = media;
  return {
    type: 'Document',
    mediaType: fileType(file),
    url: fileUrl(baseUrl, file),
    name: description || null,
    ...(blurhash === '' ? {} : { blurhash }),
    ...(width === 0 || height === 0 ? {} : { width, height }),
    ...(focus === undefined ? {} : { focalPoint: [focus.x, focus.y] }),
  };
}

/**
 * Renders the quote under the names that other software reads. While the author is asked, only software that knows
 * FEP-044f learns of it: other software would show it without consent. Source: FEP-044f, FEP-e232, Misskey, Fedibird.
 */
function quoteTerms(quote: NotedQuote | undefined) {
  if (quote === undefined) return {};
  const { uri, isPermitted, stampUri } = quote;
  if (!isPermitted) return { quote: uri };
  const stamp = stampUri === undefined ? {} : { quoteAuthorization: stampUri };
  return { quote: uri, quoteUri: uri, _misskey_quote: uri, ...stamp };
}

/** Renders the accounts that may quote the status. Source: FEP-044f; GoToSocial's interaction policies. */
function quotePolicy(record: StoreStatusRecord, by: string) {
  const allowed = { public: PUBLIC, followers: actorAddresses(by).followers, nobody: by }[quotableBy(record)];
  return { canQuote: { automaticApproval: [allowed], manualApproval: [] } };
}

/** Renders the poll. Totals that its author hides are 0 until the end. Source: Mastodon's Question. */
function question({ options, multiple, expiresAtMs, ended, hideTotals, voters }: StorePoll, nowMs: number) {
  const isOver = ended || nowMs >= expiresAtMs;
  const shows = isOver || !hideTotals;
  return {
    [multiple ? 'anyOf' : 'oneOf']: options.map(({ title, votes }) => ({
      type: 'Note',
      name: title,
      replies: { type: 'Collection', totalItems: shows ? votes : 0 },
    })),
    endTime: asTime(expiresAtMs),
    ...(isOver ? { closed: asTime(expiresAtMs) } : {}),
    votersCount: voters,
  };
}
