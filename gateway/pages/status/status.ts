import { type TSchema, Type } from '@sinclair/typebox';
import { statusUri, statusUrl, tagUrl } from '../../../actors/domain/addresses.js';
import type { StoreAccountRecord, StoreMark, StoreStatusRecord } from '../../../proto/gen/types.js';
import { entity, nullable, oneOf, type Shape, time, uri, VISIBILITIES } from '../../http/entity.js';
import { isoTime } from '../../paging/iso-time.js';
import { CustomEmoji, emojiIn, remoteEmoji } from '../../settings/custom-emoji.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { Account } from '../account/account.js';
import { FilterResult } from '../account/filter.js';
import { Collection } from './collection.js';
import { MediaAttachment, renderMediaList } from './media.js';
import { Poll } from './poll.js';
import { PreviewCard, renderPreviewCard } from './preview-card.js';
import { QuoteApproval, quoteState, ShallowQuote } from './quote.js';
import { StatusTag } from './tag.js';

/** The REST API's Status::Mention. */
export const StatusMention = entity('StatusMention', {
  id: Type.String(),
  username: Type.String(),
  acct: Type.String(),
  url: uri(),
});

/** Fields that only a signed-in viewer gets. */
const ViewerMarks = Type.Object({
  favourited: Type.Boolean(),
  reblogged: Type.Boolean(),
  muted: Type.Boolean(),
  bookmarked: Type.Boolean(),
  /** Present on the viewer's own statuses that can be pinned. */
  pinned: Type.Optional(Type.Boolean()),
  filtered: Type.Array(FilterResult),
});
export type ViewerMarks = Shape<typeof ViewerMarks>;

function quoteOf<S extends TSchema>(status: S) {
  return entity('Quote', { state: quoteState, quoted_status: nullable(status) });
}

/** The REST API's Status. */
export const Status = Type.Recursive(
  (Itself) =>
    Type.Object({
      id: Type.String(),
      created_at: time(),
      in_reply_to_id: nullable(Type.String()),
      in_reply_to_account_id: nullable(Type.String()),
      sensitive: Type.Boolean(),
      spoiler_text: Type.String(),
      visibility: oneOf(...VISIBILITIES),
      language: nullable(Type.String()),
      uri: uri(),
      url: uri(),
      replies_count: Type.Integer(),
      reblogs_count: Type.Integer(),
      favourites_count: Type.Integer(),
      quotes_count: Type.Integer(),
      edited_at: nullable(time()),
      content: Type.String(),
      /** Text as typed; only in the answer to a deletion. */
      text: Type.Optional(Type.String()),
      reblog: nullable(Itself),
      application: nullable(Type.Object({ name: Type.String(), website: nullable(uri()) })),
      account: Account,
      media_attachments: Type.Array(MediaAttachment),
      mentions: Type.Array(StatusMention),
      tags: Type.Array(StatusTag),
      emojis: Type.Array(CustomEmoji),
      card: nullable(PreviewCard),
      poll: nullable(Poll),
      quote: nullable(Type.Union([quoteOf(Itself), ShallowQuote])),
      quote_approval: QuoteApproval,
      /** Collections to which the status links and that the viewer may see. */
      tagged_collections: Type.Array(Collection),
      ...Type.Partial(ViewerMarks).properties,
    }),
  { $id: 'Status' },
);
export type Status = Shape<typeof Status>;

/** The REST API's Quote. */
export const Quote = quoteOf(Status);
/** A quote, or its shallow form. */
export type Quote = NonNullable<Status['quote']>;

/** Returns true if a status can be pinned: pinned statuses are visible to everybody. */
export function isPinnable({ reblogOfId, visibility }: StoreStatusRecord): boolean {
  return reblogOfId === undefined && (visibility === 'public' || visibility === 'unlisted');
}

/**
 * Returns the viewer's fields of a status as bits of VIEWER_MARKS. Most statuses of a page have none, and bits need no
 * object.
 */
export function viewerBits(
  record: StoreStatusRecord,
  author: Pick<StoreAccountRecord, 'pinnedIds'>,
  viewer: string,
  mark: StoreMark | undefined,
  isMuted: boolean,
): number {
  let bits = isMuted ? VIEWER_MARKS.muted : 0;
  if (mark !== undefined) {
    if (mark.favouriteId !== undefined) bits |= VIEWER_MARKS.favourited;
    if (mark.reblogId !== undefined) bits |= VIEWER_MARKS.reblogged;
    if (mark.bookmarkId !== undefined) bits |= VIEWER_MARKS.bookmarked;
  }
  if (record.accountId === viewer && isPinnable(record)) {
    bits |= author.pinnedIds.includes(record.id) ? VIEWER_MARKS.mine | VIEWER_MARKS.pinned : VIEWER_MARKS.mine;
  }
  return bits;
}

/** Bits of the viewer's fields. `muted` concerns the conversation; a status within a reblog has no bit of its own. */
const VIEWER_MARKS = { favourited: 1, reblogged: 2, bookmarked: 4, mine: 8, pinned: 16, muted: 32 } as const;

export function viewerMarks(bits: number): ViewerMarks {
  const has = (mark: keyof typeof VIEWER_MARKS) => (bits & VIEWER_MARKS[mark]) !== 0;
  return {
    favourited: has('favourited'),
    reblogged: has('reblogged'),
    muted: has('muted'),
    bookmarked: has('bookmarked'),
    ...(has('mine') ? { pinned: has('pinned') } : {}),
    filtered: [],
  };
}

/** Returns the fields that change most often; a cached fragment renders them alone. */
export function statusCounts({ replies, reblogs, favourites, quotes = 0 }: StoreStatusRecord) {
  return { replies_count: replies, reblogs_count: reblogs, favourites_count: favourites, quotes_count: quotes };
}

function ownEmoji(instance: InstanceSettings, { spoilerText, text, poll }: StoreStatusRecord): readonly CustomEmoji[] {
  return emojiIn(instance, spoilerText, text, ...(poll?.options.map(({ title }) => title) ?? []));
}

/**
 * Returns the fields that change only with an edit, or with the author's name. The other fields of a Status are its
 * counts and account, and those that differ between viewers.
 */
export function statusText(
  instance: InstanceSettings,
  record: StoreStatusRecord,
  author: StoreAccountRecord,
  creator?: StoreAccountRecord,
) {
  return {
    id: record.id,
    created_at: isoTime(record.createdAtMs),
    // The account that a deleted parent belongs to stays visible. Source: Mastodon, which retains the account's id.
    in_reply_to_id: record.parentGone === true ? null : (record.inReplyToId ?? null),
    in_reply_to_account_id: record.inReplyToAccountId ?? null,
    sensitive: record.sensitive || author.sensitized === true,
    spoiler_text: record.spoilerText,
    visibility: record.visibility,
    language: record.language || null,
    uri: statusUri(instance.baseUrl, record, author),
    url: statusUrl(instance.baseUrl, record, author),
    edited_at: record.editedAtMs > 0 ? isoTime(record.editedAtMs) : null,
    content: record.html,
    application: record.appName ? { name: record.appName, website: record.appWebsite || null } : null,
    media_attachments: renderMediaList(instance, record.media, record.id),
    mentions: record.mentions.map(({ accountId, username, acct, url }) => ({ id: accountId, username, acct, url })),
    tags: record.tags.map((name) => ({ name, url: tagUrl(instance.baseUrl, name) })),
    emojis:
      record.remote === undefined
        ? ownEmoji(instance, record)
        : remoteEmoji(instance, { of: 'statuses', id: record.id }, record.remote.emojis),
    card: record.card === undefined ? null : renderPreviewCard(instance, record.card, creator),
  } satisfies Partial<Status>;
}
