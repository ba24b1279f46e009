import type {
  AccountPosted,
  AccountQuote,
  AccountRemoteFollower,
  StoreStatusRecord,
} from '../../../proto/gen/types.js';
import type { AccountCommands, AccountEvents, AccountState } from '../../account/slices.js';
import { isAnnounced } from '../../account/subscribers.js';
import { pollOf } from '../../conversation/poll.js';
import type { ConversationCommands } from '../../conversation/slices.js';
import { isProblem, type Problem } from '../../domain/problem.js';
import type { Effects, Reaction } from '../../runtime/kind.js';
import { collectionNotices } from './collection-tells.js';
import { knownRows } from './remote-rows.js';

/** Calls `tell` with the commands of accounts. */
export function tellAccount<K extends keyof AccountCommands>(
  effects: Effects,
  id: string,
  command: K,
  input: AccountCommands[K]['in'],
): Promise<unknown> {
  return effects.tell('account', id, command, input);
}

const addTo = (effects: Effects, conversation: string, input: ConversationCommands['add']['in']) =>
  effects.tell('conversation', conversation, 'add', input);

/** Commands whose effects the caller must see at once: the other side of a follow or block, and the thread. */
export const accountTells: Reaction<AccountState, AccountEvents> = {
  surface: 'tells',
  beforeReply: true,
  on: {
    async followed({ target, edgeId, pending, optionsOnly, activityId }, { self, state }, effects) {
      if (optionsOnly) return;
      const limited = limitedOf(state);
      const remote = remoteFollower(state, activityId);
      const edge = { follower: self, edgeId, believedPending: pending, limited, remote };
      await tellAccount(effects, target, 'addFollower', edge);
    },
    async unfollowed({ target, edgeId }, { self }, effects) {
      await tellAccount(effects, target, 'removeFollower', { follower: self, edgeId });
    },
    async followerAdded({ follower, edgeId, answer }, { self }, effects) {
      if (answer) await tellAccount(effects, follower, 'answerFollow', { target: self, edgeId, answer: 'accepted' });
    },
    async followerRemoved({ follower, edgeId, rejected }, { self }, effects) {
      if (rejected) await tellAccount(effects, follower, 'answerFollow', { target: self, edgeId, answer: 'rejected' });
    },
    async followRequested({ follower, edgeId, answer }, { self }, effects) {
      if (answer) await tellAccount(effects, follower, 'answerFollow', { target: self, edgeId, answer: 'pending' });
    },
    async followerRefused({ follower, edgeId }, { self }, effects) {
      await tellAccount(effects, follower, 'answerFollow', { target: self, edgeId, answer: 'rejected' });
    },
    async followRequestRemoved({ follower, edgeId, rejected }, { self }, effects) {
      if (rejected) await tellAccount(effects, follower, 'answerFollow', { target: self, edgeId, answer: 'rejected' });
    },
    async blocked({ target, edgeId }, { self }, effects) {
      await tellAccount(effects, target, 'receiveBlock', { from: self, on: true, edgeId });
    },
    async unblocked({ target, edgeId }, { self }, effects) {
      await tellAccount(effects, target, 'receiveBlock', { from: self, on: false, edgeId });
    },
    async posted(event, { self, state }, effects) {
      const quote = event.quote && (await answeredQuote(effects, self, event, event.quote));
      const status = statusRecord(self, event, quote);
      const answer = await addTo(effects, status.conversationId, { status });
      if (isFull(answer)) await addTo(effects, status.id, inOwnConversation(status));
      if (state.subscribers.size > 0 && isAnnounced(self, event))
        await tellAccount(effects, self, 'announce', { statusId: event.id, after: '' });
      // Last, because a repeated effect may send fewer commands here, and commands are numbered.
      if (quote !== undefined) await settleRevoked(effects, event.id, status.conversationId, quote);
    },
    async received({ status }, { self, state }, effects) {
      if (status === undefined) return;
      const answer = await addTo(effects, status.conversationId, { status });
      if (isFull(answer)) {
        const own = inOwnConversation(status);
        await addTo(effects, status.id, own);
        await effects.write(knownRows(state, own.status));
      }
      if (state.subscribers.size > 0 && isAnnounced(self, status))
        await tellAccount(effects, self, 'announce', { statusId: status.id, after: '' });
    },
    async receivedForgotten({ id, conversationId }, { self }, effects) {
      if (id === '') return;
      const gone: ConversationCommands['remove']['in'] = { statusId: id, by: self, discardMedia: true };
      await tellThread(effects, id, conversationId, 'remove', gone);
    },
    async receivedRevised({ id, conversationId, status }, { self }, effects) {
      const revised: ConversationCommands['revise']['in'] = { statusId: id, by: self, status };
      await tellThread(effects, id, conversationId, 'revise', revised);
    },
  },
};

/** Subscriptions to new statuses, and their notifications, after the reply. */
export const accountNotices: Reaction<AccountState, AccountEvents> = {
  surface: 'notify',
  beforeReply: false,
  on: {
    ...collectionNotices,
    async followed({ target, notify, optionsOnly }, { self }, effects) {
      if (notify || optionsOnly) await tellAccount(effects, target, 'subscribe', { follower: self, on: notify });
    },
    /** An account that is no longer locked accepts all follow requests. Source: Mastodon UpdateAccountService. */
    async profileUpdated({ profile }, { self, state }, effects) {
      if (profile?.locked !== false || state.profile.locked) return;
      for (const follower of [...state.requests.keys()])
        await tellAccount(effects, self, 'authorizeFollow', { follower });
    },
    async announced({ statusId, followers, more }, { self, state }, effects) {
      const notice = { type: 'status', from: self, statusId, limited: limitedOf(state) };
      for (const follower of followers) await tellAccount(effects, follower, 'notify', notice);
      if (more) await tellAccount(effects, self, 'announce', { statusId, after: followers.at(-1) ?? '' });
    },
  },
};

/** Sends a command about a status to its conversation. A status that did not fit there has begun its own. */
async function tellThread(effects: Effects, id: string, conversation: string, command: string, input: object) {
  const answer = await effects.tell('conversation', conversation, command, input);
  if (conversation !== id && isProblem(answer as Problem)) await effects.tell('conversation', id, command, input);
}

const isFull = (answer: unknown): boolean => isProblem(answer) && answer.problem === 'limit_reached';

/**
 * Returns the command that adds a status to a conversation of its own, because that of its parent is full: the status is
 * acknowledged and must not be lost.
 */
const inOwnConversation = (status: StoreStatusRecord) => ({
  status: { ...status, conversationId: status.id },
  parentConversationId: status.conversationId,
});

/** Returns the addresses of a follower of another server. */
function remoteFollower({ origin }: Readonly<AccountState>, activityId = ''): AccountRemoteFollower | undefined {
  if (origin === undefined) return undefined;
  const { uri, inbox, sharedInbox } = origin.actor;
  return { uri, inbox, sharedInbox, activityId };
}

const limitedOf = ({ moderation }: Readonly<AccountState>) => (moderation.silenced ? true : undefined);

/**
 * Asks for a quote in two steps, because a command that is repeated after a crash does not return its first reply. The
 * quote of a status of another server is pending until that server has answered.
 */
async function answeredQuote(
  effects: Effects,
  by: string,
  { id, conversationId, visibility }: AccountPosted,
  quote: AccountQuote,
): Promise<AccountQuote> {
  const { statusId, conversationId: quoted, follows, uri } = quote;
  if (uri) return { ...quote, state: 'pending' };
  const asked = { statusId, by, quotingId: id, conversationId, visibility, follows };
  await effects.tell('conversation', quoted, 'quote', asked satisfies ConversationCommands['quote']['in']);
  return { ...quote, state: (await quoteState(effects, id, quote)) ?? 'rejected' };
}

/** Returns the state of a quote at the quoted status; undefined if that status cannot be quoted. */
async function quoteState(
  effects: Effects,
  quotingId: string,
  { statusId, conversationId }: AccountQuote,
): Promise<string | undefined> {
  const question: ConversationCommands['quoteState']['in'] = { statusId, quotingId };
  const answer = (await effects.tell('conversation', conversationId, 'quoteState', question)) as
    | ConversationCommands['quoteState']['out']
    | Problem;
  return isProblem(answer) ? undefined : answer.state;
}

/**
 * Settles a quote that was revoked before the quoting status was in its conversation: the revocation did not find the
 * status there. A repeated effect learns of it at once, but the conversation may have the status of the first attempt.
 */
async function settleRevoked(
  effects: Effects,
  quotingId: string,
  conversationId: string,
  quote: AccountQuote,
): Promise<void> {
  const state = quote.state === 'accepted' ? await quoteState(effects, quotingId, quote) : quote.state;
  if (state !== 'revoked') return;
  const settled = { statusId: quotingId, quotedId: quote.statusId, state };
  const answer = await effects.tell('conversation', conversationId, 'settleQuote', settled);
  if (isProblem(answer)) await effects.tell('conversation', quotingId, 'settleQuote', settled);
}

function statusRecord(accountId: string, event: AccountPosted, quote: AccountQuote | undefined): StoreStatusRecord {
  const { id, text, html, spoilerText, visibility, sensitive, language, mentions, tags, atMs } = event;
  return {
    id,
    accountId,
    conversationId: event.conversationId,
    inReplyToId: event.inReplyToId,
    inReplyToAccountId: event.inReplyToAccountId,
    text,
    html,
    spoilerText,
    visibility,
    sensitive,
    language,
    mentions,
    tags,
    createdAtMs: atMs,
    editedAtMs: 0,
    deleted: false,
    favourites: 0,
    reblogs: 0,
    replies: 0,
    appName: event.appName,
    appWebsite: event.appWebsite,
    media: event.media,
    poll: event.poll && pollOf(event.poll, atMs),
    quotePolicy: event.quotePolicy,
    quote,
  };
}
