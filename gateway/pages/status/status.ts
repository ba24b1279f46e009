import { statusUri, statusUrl } from '../../../actors/domain/addresses.js';
import type { StoreAccountRecord, StoreMark, StoreStatusRecord } from '../../../proto/gen/types.js';
import { isoTime } from '../../paging/iso-time.js';
import { type CustomEmoji, emojiIn } from '../../settings/custom-emoji.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { type Account, renderAccount } from '../account/account.js';
import type { FilterResult } from '../account/filter.js';
import type { Collection } from './collection.js';
import { type MediaAttachment, renderMediaList } from './media.js';
import type { Poll } from './poll.js';
import { type PreviewCard, renderPreviewCard } from './preview-card.js';
import { approval, approvalOf, type QuoteApproval, type ShallowQuote } from './quote.js';

/** The REST API's Status::Mention. */
export interface StatusMention {
  readonly id: string;
  readonly username: string;
  readonly acct: string;
  readonly url: string;
}

/** Fields that only a signed-in viewer gets. */
export interface ViewerMarks {
  readonly favourited: boolean;
  readonly reblogged: boolean;
  readonly muted: boolean;
  readonly bookmarked: boolean;
  /** Present on the viewer's own statuses that can be pinned. */
  readonly pinned?: boolean;
  readonly filtered: readonly FilterResult[];
}

/** The REST API's Status. */
export interface Status extends Partial<ViewerMarks> {
  readonly id: string;
  readonly created_at: string;
  readonly in_reply_to_id: string | null;
  readonly in_reply_to_account_id: string | null;
  readonly sensitive: boolean;
  readonly spoiler_text: string;
  readonly visibility: string;
  readonly language: string | null;
  readonly uri: string;
  readonly url: string;
  readonly replies_count: number;
  readonly reblogs_count: number;
  readonly favourites_count: number;
  readonly quotes_count: number;
  readonly edited_at: string | null;
  readonly content: string;
  /** Text as typed; only in the answer to a deletion. */
  readonly text?: string;
  readonly reblog: Status | null;
  readonly application: { readonly name: string; readonly website: string | null } | null;
  readonly account: Account;
  readonly media_attachments: readonly MediaAttachment[];
  readonly mentions: readonly StatusMention[];
  readonly tags: readonly { readonly name: string; readonly url: string }[];
  readonly emojis: readonly CustomEmoji[];
  readonly card: PreviewCard | null;
  readonly poll: Poll | null;
  readonly quote: Quote | null;
  readonly quote_approval: QuoteApproval;
  /** Collections to which the status links and that the viewer may see. */
  readonly tagged_collections: readonly Collection[];
}

/** The REST API's Quote, or its shallow form. */
export type Quote = { readonly state: string; readonly quoted_status: Status | null } | ShallowQuote;

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

export function renderStatus(
  instance: InstanceSettings,
  record: StoreStatusRecord,
  author: StoreAccountRecord,
  original: Status | undefined,
  mine: ViewerMarks | undefined | '',
): Status {
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
    replies_count: record.replies,
    reblogs_count: record.reblogs,
    favourites_count: record.favourites,
    quotes_count: record.quotes ?? 0,
    edited_at: record.editedAtMs > 0 ? isoTime(record.editedAtMs) : null,
    content: record.html,
    reblog: original ?? null,
    application: record.appName ? { name: record.appName, website: record.appWebsite || null } : null,
    account: renderAccount(instance, author),
    media_attachments: renderMediaList(instance, record.media),
    mentions: record.mentions.map(({ accountId, username, acct, url }) => ({ id: accountId, username, acct, url })),
    tags: record.tags.map((name) => ({ name, url: `${instance.baseUrl}/tags/${encodeURIComponent(name)}` })),
    emojis: emojiIn(
      instance,
      record.spoilerText,
      record.text,
      ...(record.poll?.options.map(({ title }) => title) ?? []),
    ),
    card: record.card === undefined ? null : renderPreviewCard(instance, record.card),
    poll: null,
    quote: null,
    quote_approval: approval(approvalOf(record, undefined, false)),
    tagged_collections: [],
    ...(mine || {}),
  };
}
