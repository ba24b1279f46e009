import { type Static, Type } from '@sinclair/typebox';
import { pollOf } from '../../../actors/conversation/poll.js';
import { QUOTE_POLICIES } from '../../../actors/conversation/quote-policy.js';
import { storedId } from '../../../actors/domain/ids.js';
import { noParent } from '../../../actors/domain/posting-refusals.js';
import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import { LANGUAGE_CHARS_MAX, statusLanguage } from '../../../actors/domain/text/language.js';
import { TEXT_TOO_LONG } from '../../../actors/domain/text/status-text.js';
import type {
  AccountMediaList,
  AccountMention,
  AccountNewPoll,
  AccountPost,
  AccountPostedReply,
  StoreAccountRecord,
  StoreStatusRecord,
} from '../../../proto/gen/types.js';
import { accounts, mediaRows, statuses } from '../../../store/tables.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type Answer, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { findApp } from '../../oauth/clients.js';
import { approvedAccounts } from '../../pages/answers.js';
import { ScheduledStatus } from '../../pages/status/scheduled-status.js';
import { Status } from '../../pages/status/status.js';
import { idText } from '../../paging/bounds.js';
import { languageOf } from '../../posting/language.js';
import { quotable, quoteOf, visibilityOfQuote } from '../../posting/quoting.js';
import { written } from '../../posting/written.js';
import { loadAccounts } from '../../viewing/people-at-hand.js';
import type { ReadServices } from '../../viewing/read-services.js';
import { notFound, visibleById, visibleStatuses } from '../../viewing/visible.js';

import { schedule } from './scheduled-statuses.js';

/** Characters that are read. The author's actor counts the length of a status, with shorter counts for links. */
const TEXT_INPUT_CHARS_MAX = 50_000;
/** Text of a status as clients send it. */
export const TextDraft = Type.String({ maxLength: TEXT_INPUT_CHARS_MAX, tooLong: TEXT_TOO_LONG });
/** Media and choices in a request: longer lists are read only to be refused. */
const REFUSED_ITEMS_MAX = 100;

/** More accounts than any status can mention. */
const ALLOWED_MENTIONS_MAX = 1_000;

/** A poll as clients send it. The actor refuses excessive values with a reason. */
export const PollDraft = Type.Object({
  options: Type.Array(Type.String({ maxLength: 1_000 }), { maxItems: REFUSED_ITEMS_MAX, default: [] }),
  expires_in: Type.Integer({ minimum: 0, maximum: 3_155_760_000, default: 0 }),
  multiple: Type.Boolean({ default: false }),
  hide_totals: Type.Boolean({ default: false }),
});

/** Returns the poll without empty options, which are empty fields of a form. */
export function newPoll(draft: Static<typeof PollDraft> | undefined): AccountNewPoll | undefined {
  if (draft === undefined) return undefined;
  const options = draft.options.map((option) => option.trim()).filter((option) => option !== '');
  const { multiple, hide_totals: hideTotals } = draft;
  return { options, expiresInMs: draft.expires_in * 1_000, multiple, hideTotals };
}

/** Accounts that may quote. Forms send an empty value for no choice. */
export const QuotePolicy = Type.Union(['', ...QUOTE_POLICIES].map((word) => Type.Literal(word)));

const Draft = Type.Object({
  status: Type.Optional(TextDraft),
  in_reply_to_id: Type.Optional(Type.Union([idText(), Type.Literal('')])),
  visibility: Type.Optional(
    Type.Union([Type.Literal(''), ...['public', 'unlisted', 'private', 'direct'].map((word) => Type.Literal(word))]),
  ),
  spoiler_text: Type.Optional(TextDraft),
  sensitive: Type.Optional(Type.Boolean()),
  language: Type.Optional(Type.String({ maxLength: LANGUAGE_CHARS_MAX })),
  scheduled_at: Type.Optional(Type.String({ maxLength: 100 })),
  media_ids: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: REFUSED_ITEMS_MAX })),
  poll: Type.Optional(PollDraft),
  /** Ids of the only accounts that the status may mention. */
  allowed_mentions: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: ALLOWED_MENTIONS_MAX })),
  quoted_status_id: Type.Optional(Type.Union([idText(), Type.Literal('')])),
  quote_approval_policy: Type.Optional(QuotePolicy),
});
type Draft = Static<typeof Draft>;

/** Posts a status. */
export const postStatus = route({
  method: 'POST',
  path: '/api/v1/statuses',
  idempotent: 'command',
  auth: 'user',
  scope: 'write:statuses',
  body: Draft,
  answer: Type.Union([Status, ScheduledStatus]),
  handle: async ({ services, viewer = '', bearer, body, headers, once }) => {
    const [author, app, parent, quoted] = await Promise.all([
      services.tables.get(accounts, { account: viewer }),
      bearer === undefined ? undefined : findApp(services, bearer.clientId),
      loadParent(services, viewer, body.in_reply_to_id),
      body.quoted_status_id ? quotable(services, viewer, body.quoted_status_id) : undefined,
    ]);
    if (author === undefined) return notFound();
    if (isProblem(parent)) return parent;
    if (isProblem(quoted)) return quoted;
    const post: AccountPost = {
      ...(await compose(services, author, parent, quoted, body)),
      appName: app?.name,
      appWebsite: app?.website,
    };
    const unexpected = await unexpectedMentions(services, viewer, post.mentions, body.allowed_mentions);
    if (unexpected !== undefined) return unexpected;
    if (body.scheduled_at) {
      const draft = { ...post, idempotencyKey: headers['idempotency-key'] || undefined };
      const kept = await schedule(services, viewer, draft, body.scheduled_at, once);
      if (kept !== undefined) return kept;
    }
    const posted = await services.askAccount(viewer, 'post', post, once);
    return isProblem(posted) ? posted : answer(services, viewer, post, posted);
  },
});

/**
 * Returns the refusal of a status that mentions an account outside the allowed ones. Source: Mastodon
 * PostStatusService::UnexpectedMentionsError.
 */
async function unexpectedMentions(
  services: Pick<Services, 'pages' | 'lenses' | 'tables' | 'limits'>,
  viewer: string,
  mentions: readonly AccountMention[],
  allowed: readonly string[] | undefined,
): Promise<Answer<JsonPieces> | undefined> {
  if (allowed === undefined) return undefined;
  const expected = new Set(allowed.map(storedId));
  const ids = mentions.map(({ accountId }) => accountId).filter((id) => !expected.has(id));
  if (ids.length === 0) return undefined;
  const records = await loadAccounts(services, ids);
  const people = await approvedAccounts(services, viewer, [...records.values()]);
  const error = Buffer.from('{"error":"Post would be sent to unexpected accounts","unexpected_accounts":');
  return { status: 422, body: new JsonPieces([error, ...people, Buffer.from('}')]) };
}

/**
 * Returns the status that is replied to, or undefined if there is none. A reply to a reblog is a reply to its original.
 */
async function loadParent(
  services: Pick<Services, 'lenses' | 'tables' | 'limits'>,
  viewer: string,
  id: string | undefined,
): Promise<StoreStatusRecord | undefined | Problem> {
  if (!id) return undefined;
  const [found] = await visibleById(services, viewer, [id]);
  return found === undefined ? noParent() : (found.original ?? found.record);
}

async function compose(
  services: ReadServices & Pick<Services, 'registry' | 'federation' | 'clock'>,
  author: StoreAccountRecord,
  parent: StoreStatusRecord | undefined,
  quoted: StoreStatusRecord | undefined,
  body: Draft,
): Promise<AccountPost> {
  // A form with an empty media field sends an empty id.
  const mediaIds = body.media_ids?.filter((id) => id !== '') ?? [];
  const media = mediaIds.length > 0 ? { ids: mediaIds.map(storedId) } : undefined;
  const mayBeEmpty = media !== undefined || quoted !== undefined;
  const said = await written(services, author.id, body.status, body.spoiler_text, mayBeEmpty);
  const visibility = body.visibility || author.profile?.privacy || 'public';
  return {
    ...said,
    visibility: quoted === undefined ? visibility : visibilityOfQuote(quoted, visibility),
    // A warning that was moved into the text still counts as a warning. Source: Mastodon PostStatusService.
    sensitive: (body.sensitive ?? author.profile?.sensitive ?? false) || (body.spoiler_text ?? '').trim() !== '',
    // An unknown language counts as absent.
    language:
      statusLanguage(body.language ?? '') ??
      statusLanguage(author.profile?.language ?? '') ??
      (await languageOf(said.text)),
    poll: newPoll(body.poll),
    quotePolicy: body.quote_approval_policy || author.profile?.quotePolicy,
    inReplyToId: parent?.id,
    inReplyToAccountId: parent?.accountId,
    conversationId: parent?.conversationId,
    quote: quoted && quoteOf(quoted),
    media,
  };
}

async function answer(
  services: ReadServices & Pick<Services, 'pages'>,
  viewer: string,
  post: AccountPost,
  posted: AccountPostedReply,
) {
  // The row is written after the acknowledged event and may not exist yet; its content is known.
  const stored = await services.tables.get(statuses, { status: posted.id });
  const record = stored ?? (await fresh(services, viewer, post, posted));
  const [seen] = await visibleStatuses(services, viewer, [record]);
  const status = await services.pages.one(services, viewer, seen);
  return status === undefined ? notFound() : json(status);
}

async function fresh(
  services: Pick<Services, 'tables' | 'clock'>,
  viewer: string,
  { media, poll, quote, ...post }: AccountPost,
  posted: AccountPostedReply,
): Promise<StoreStatusRecord> {
  return {
    ...post,
    media: media && (await uploads(services, media.ids)),
    id: posted.id,
    conversationId: posted.conversationId,
    accountId: viewer,
    createdAtMs: services.clock.nowMs(),
    poll: poll && pollOf(poll, services.clock.nowMs()),
    quote: quote && { ...quote, state: 'pending' },
    editedAtMs: 0,
    deleted: false,
    favourites: 0,
    reblogs: 0,
    replies: 0,
  };
}

async function uploads(services: Pick<Services, 'tables'>, ids: readonly string[]): Promise<AccountMediaList> {
  const keys = ids.map((media) => ({ media }));
  const rows = await services.tables.getMany(mediaRows, keys);
  return { media: rows.flatMap((row) => row?.media ?? []) };
}
