import { statusUri, statusUrl } from '../../../actors/domain/addresses.js';
import { eraOfId } from '../../../actors/domain/ids.js';
import type { StoreAccountRecord, StoreMark, StoreStatusRecord } from '../../../proto/gen/types.js';
import { marks } from '../../../store/tables.js';
import { isoTime } from '../../paging/iso-time.js';
import { type CustomEmoji, emojiIn } from '../../settings/custom-emoji.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { loadAccounts } from '../../viewing/people-at-hand.js';
import type { ReadServices } from '../../viewing/read-services.js';
import { taggedCollections } from '../../viewing/visible-collections.js';
import type { VisibleStatus } from '../../viewing/visible-status.js';
import { type Account, renderAccount } from '../account/account.js';
import { type FilterResult, renderFilterResult } from '../account/filter.js';
import { type Collection, renderCollection } from './collection.js';
import { type MediaAttachment, renderMediaList } from './media.js';
import { type Poll, renderPoll } from './poll.js';
import { type PreviewCard, renderPreviewCard } from './preview-card.js';
import { approval, approvalOf, type QuoteApproval, type ShallowQuote, shallowQuote } from './quote.js';
import { linkedCollections } from './tagged-collections.js';

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

/** Renders statuses with one read per table; undefined if a status is absent or its author is deleted. */
export async function renderStatuses(
  services: ReadServices,
  viewer: string | undefined,
  seen: readonly (VisibleStatus | undefined)[],
): Promise<(Status | undefined)[]> {
  const records = seen.flatMap((status) => (status === undefined ? [] : shownWith(status)));
  const [authors, marked] = await Promise.all([
    loadAccounts(
      services,
      records.map((record) => record.accountId),
    ),
    loadMarks(
      services,
      viewer,
      records.flatMap((record) => (record.reblogOfId === undefined ? [record.id] : [])),
    ),
  ]);
  const view =
    viewer === undefined ? undefined : (services.lenses.latest(viewer) ?? (await services.lenses.of(viewer)));
  const linked = new Map(records.map((record) => [record, linkedCollections(services.instance, record)]));
  const collections = [...linked.values()].flatMap((ids = []) => ids);
  const tagged = await taggedCollections(services, viewer, collections);
  const render = (
    record: StoreStatusRecord,
    { filtered = [] }: Pick<VisibleStatus, 'filtered'>,
    within: { readonly original?: Status | undefined; readonly quote?: Quote | undefined; readonly isNested?: boolean },
  ) => {
    const author = authors.get(record.accountId);
    if (author === undefined) return undefined;
    const mark = marked.get(record.reblogOfId ?? record.id);
    const isMuted = within.isNested !== true && (view?.lens.mutesConversation(record.conversationId) ?? false);
    const mine = viewer && {
      ...viewerMarks(viewerBits(record, author, viewer, mark, isMuted)),
      filtered: filtered.map(renderFilterResult),
    };
    const poll =
      record.poll && renderPoll(services.instance, record, record.poll, services.clock.nowMs(), viewer, mark);
    const follows = view?.lens.relation(record.accountId).following === true;
    return {
      ...renderStatus(services.instance, record, author, within.original, mine),
      poll: poll ?? null,
      quote: within.quote ?? null,
      quote_approval: approval(approvalOf(record, viewer, follows)),
      tagged_collections: (linked.get(record) ?? []).flatMap((id) => {
        const collection = tagged.get(id);
        return collection === undefined ? [] : [renderCollection(services.instance, collection)];
      }),
    };
  };
  const quoteOf = (quote: VisibleStatus['quote']): Quote | undefined => {
    if (quote?.quoted === undefined) return quote && { state: quote.state, quoted_status: null };
    const { record, quote: further } = quote.quoted;
    const inner = { isNested: true, quote: further && shallowQuote(further) };
    return { state: quote.state, quoted_status: render(record, quote.quoted, inner) ?? null };
  };
  return seen.map((status) => {
    if (status === undefined) return undefined;
    const quote = quoteOf(status.quote);
    if (status.original === undefined) return render(status.record, status, { quote });
    const original = render(status.original, status, { quote, isNested: true });
    return original === undefined ? undefined : render(status.record, status, { original });
  });
}

/** Returns all records with which a status is shown. */
function shownWith({ record, original, quote }: VisibleStatus): StoreStatusRecord[] {
  return [record, original, quote?.quoted?.record].filter((one) => one !== undefined);
}

export async function loadMarks(
  services: ReadServices,
  viewer: string | undefined,
  statusIds: readonly string[],
): Promise<ReadonlyMap<string, StoreMark>> {
  const distinct = [...new Set(statusIds)];
  if (viewer === undefined || distinct.length === 0) return new Map();
  const found = await services.tables.getMany(
    marks,
    distinct.map((status) => ({ account: viewer, era: eraOfId(status), status })),
  );
  return new Map(
    distinct.flatMap((status, index) => {
      const mark = found[index];
      return mark === undefined ? [] : [[status, mark]];
    }),
  );
}

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
