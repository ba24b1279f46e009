import type {
  AccountMention,
  AccountNotify,
  AccountQuote,
  AccountRetractNotice,
  StoreStatusRecord,
} from '../../../proto/gen/types.js';
import type { ConversationCommands, ConversationEvents } from '../../conversation/slices.js';
import { type ConversationState, parentOf } from '../../conversation/state.js';
import { ORPHANED_AT_ONCE_MAX } from '../../conversation/thread.js';
import { isLocal } from '../../domain/addresses.js';
import { idMs } from '../../domain/ids.js';
import { isProblem } from '../../domain/problem.js';
import type { Effects, Reaction } from '../../runtime/kind.js';
import { tellAccount } from '../account/tells.js';

const count = (
  effects: Effects,
  account: string,
  id: string,
  delta: 1 | -1,
  atMs: number,
  { tags, visibility }: Partial<Pick<StoreStatusRecord, 'tags' | 'visibility'>> = {},
) => {
  const direct = visibility === 'direct' || undefined;
  return tellAccount(effects, account, 'countStatus', { id, delta, atMs, direct, tags: tags ?? [] });
};

/**
 * Uncounts a deleted status or reblog before the reply. The account's actor may be waiting for this conversation to
 * accept a status; then the reply does not wait (ADR 4).
 */
export const conversationCounts: Reaction<ConversationState, ConversationEvents> = {
  surface: 'counts',
  beforeReply: true,
  on: {
    removed: async ({ statusId, by, atMs, tags }, { state }, effects) => {
      const visibility = state.statuses.get(statusId)?.record.visibility ?? '';
      await count(effects, by, statusId, -1, atMs, { tags, visibility });
    },
    unreblogged: async ({ by, reblogId }, { atMs }, effects) => {
      await count(effects, by, reblogId, -1, atMs);
    },
  },
};

/** Counts of reblogs, and notifications of mentions, favourites and reblogs, after the reply. */
export const conversationTells: Reaction<ConversationState, ConversationEvents> = {
  surface: 'tells',
  beforeReply: false,
  on: {
    async added({ status }, { self, state }, effects) {
      if (status === undefined) return;
      const mentioned = new Set(status.mentions.filter(isHere).map((mention) => mention.accountId));
      mentioned.delete(status.accountId);
      await tellQuoted(effects, status);
      const direct = status.visibility === 'direct';
      const answered = direct ? answeredBy(state, status) : NOBODY;
      if (direct) await tellParties(effects, status, mentioned, answered);
      if (mentioned.size === 0) return;
      const notice = { type: 'mention', from: status.accountId, statusId: status.id, conversationId: self };
      for (const account of mentioned) {
        const more = direct ? { direct, answers: answered.has(account) } : {};
        await tellAccount(effects, account, 'notify', { ...notice, ...more });
      }
    },
    async removed({ statusId, by, media, discardMedia = false, quote }, { self, state }, effects) {
      if (media !== undefined) await tellAccount(effects, by, 'releaseMedia', { ...media, discard: discardMedia });
      if (quote !== undefined) await unquote(effects, statusId, quote);
      await orphanFrom(effects, self, state, statusId, ORPHANED_AT_ONCE_MAX);
    },
    someOrphaned: ({ statusId, from }, { self, state }, effects) =>
      orphanFrom(effects, self, state, statusId, from + ORPHANED_AT_ONCE_MAX),
    async favourited({ statusId, by }, { self, state }, effects) {
      await notifyAuthor(effects, state, statusId, { type: 'favourite', from: by, statusId, conversationId: self });
    },
    async reblogged({ statusId, by, reblogId, atMs }, { self, state }, effects) {
      await count(effects, by, reblogId, 1, atMs);
      await notifyAuthor(effects, state, statusId, { type: 'reblog', from: by, statusId, conversationId: self });
    },
    async quoteRevoked({ statusId, quotingId, conversationId }, _now, effects) {
      const settled = { statusId: quotingId, quotedId: statusId, state: 'revoked' };
      await tellQuoting(effects, quotingId, conversationId, 'settleQuote', settled);
    },
    async quoteAnswered({ statusId, by, quotingId, conversationId, approvalUri }, { state, self }, effects) {
      const accountId = state.statuses.get(statusId)?.record.accountId ?? '';
      const answer = approvalUri === undefined ? 'rejected' : 'accepted';
      const quote = { statusId, accountId, conversationId: self, state: answer, follows: false, approvalUri };
      await tellQuoting(effects, quotingId, conversationId, 'attachQuote', { statusId: quotingId, by, quote });
    },
    async quoteSettled({ statusId, state: settled }, { state, self }, effects) {
      const record = state.statuses.get(statusId)?.record;
      // The conversation of a local quoted status has decided itself.
      if (!record?.quote?.uri) return;
      if (settled === 'accepted') await tellPermitted(effects, self, record, record.quote);
      if (settled === 'revoked') await tellRevoked(effects, statusId, record.quote);
    },
    async quoteAttached({ statusId, earlier }, { state, self }, effects) {
      const record = state.statuses.get(statusId)?.record;
      if (record === undefined || record.deleted) return;
      const { quote } = record;
      if (earlier !== undefined && earlier.statusId !== quote?.statusId) await unquote(effects, statusId, earlier);
      if (quote?.state !== 'accepted') return;
      await tellPermitted(effects, self, record, quote);
      if (earlier?.state !== 'accepted' || earlier.statusId !== quote.statusId) await tellQuoted(effects, record);
    },
    async edited({ statusId, newlyMentioned, released }, { self, state }, effects) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined) return;
      const { accountId } = entry.record;
      if (released !== undefined)
        await tellAccount(effects, accountId, 'releaseMedia', { ...released, discard: false });
      if (entry.record.deleted) return;
      const notice = { from: accountId, statusId, conversationId: self };
      for (const account of newlyMentioned)
        if (account !== accountId) await tellAccount(effects, account, 'notify', { type: 'mention', ...notice });
    },
    async unfavourited({ statusId, by, markId }, { state }, effects) {
      await retract(effects, state, { type: 'favourite', from: by, statusId, sinceMs: idMs(markId) });
    },
    async unreblogged({ statusId, by, reblogId }, { state }, effects) {
      await retract(effects, state, { type: 'reblog', from: by, statusId, sinceMs: idMs(reblogId) });
    },
  },
};

/** Returns true for a mention of an account of this server, the only ones that get notifications. */
const isHere = ({ acct }: AccountMention): boolean => !acct.includes('@');

/** Requests the next step for further replies of a deleted status. Other commands may run between steps. */
async function orphanFrom(
  effects: Effects,
  self: string,
  state: Readonly<ConversationState>,
  statusId: string,
  from: number,
): Promise<void> {
  if (from < (state.statuses.get(statusId)?.children.length ?? 0))
    await effects.tell('conversation', self, 'orphanSome', { statusId, from });
}

/** Ancestors examined in a thread. Source: Mastodon NotifyService, statuses_that_mention_sender. */
const ANSWERED_DEPTH_MAX = 100;

const NOBODY: ReadonlySet<string> = new Set();

/**
 * Returns the accounts to whose direct statuses the author replies with this one, including those further up in the
 * thread.
 */
function answeredBy(state: Readonly<ConversationState>, status: StoreStatusRecord): ReadonlySet<string> {
  const answered = new Set<string>();
  let above = parentOf(state, status)?.record;
  for (let depth = 0; above !== undefined && depth < ANSWERED_DEPTH_MAX; depth++) {
    const isToAuthor = above.mentions.some(({ accountId }) => accountId === status.accountId);
    if (isToAuthor && above.visibility === 'direct') answered.add(above.accountId);
    above = parentOf(state, above)?.record;
  }
  return answered;
}

/** Sends a command to the conversation of a quoting status. One that did not fit there has begun its own. */
async function tellQuoting<K extends 'settleQuote' | 'attachQuote'>(
  effects: Effects,
  quotingId: string,
  conversation: string,
  command: K,
  input: ConversationCommands[K]['in'],
): Promise<void> {
  const answer = await effects.tell('conversation', conversation, command, input);
  if (isProblem(answer)) await effects.tell('conversation', quotingId, command, input);
}

/** Tells the quoted status of a quote that its author permits. */
async function tellPermitted(
  effects: Effects,
  conversationId: string,
  { id: quotingId, accountId: by, visibility }: StoreStatusRecord,
  { statusId, follows, conversationId: quoted }: AccountQuote,
): Promise<void> {
  const told = { statusId, by, quotingId, visibility, follows, conversationId, approved: true };
  await effects.tell('conversation', quoted, 'quote', told satisfies ConversationCommands['quote']['in']);
}

/** Tells the quoted status of another server that its author has revoked the quote. */
async function tellRevoked(effects: Effects, quotingId: string, quote: AccountQuote): Promise<void> {
  const revoked = { statusId: quote.statusId, by: quote.accountId, quotingId };
  await effects.tell('conversation', quote.conversationId, 'revokeQuote', revoked);
}

/** Removes the quote of a status from what it quotes, if that is known here. */
async function unquote(effects: Effects, quotingId: string, { statusId, conversationId }: AccountQuote): Promise<void> {
  if (statusId !== '') await effects.tell('conversation', conversationId, 'unquote', { statusId, quotingId });
}

/** Notifies a quoted author of this server. The row of the quoting status may be written later; readers wait for it. */
async function tellQuoted(
  effects: Effects,
  { id, accountId, quote, visibility, mentions }: StoreStatusRecord,
): Promise<void> {
  if (quote?.state !== 'accepted' || quote.accountId === accountId || quote.uri) return;
  const isListed = visibility === 'public' || visibility === 'unlisted';
  const isMentioned = mentions.some((mention) => mention.accountId === quote.accountId);
  // An author who may not see the status is not notified. The account itself knows whom it follows.
  if (visibility === 'direct' && !isMentioned) return;
  const followersOnly = isListed || isMentioned ? undefined : true;
  const notice = { type: 'quote', from: accountId, statusId: id, conversationId: quote.conversationId, followersOnly };
  await tellAccount(effects, quote.accountId, 'notify', notice);
}

/** Adds the status to the direct conversation of every participant. */
async function tellParties(
  effects: Effects,
  status: StoreStatusRecord,
  mentioned: ReadonlySet<string>,
  answered: ReadonlySet<string>,
): Promise<void> {
  const { id: statusId, accountId: from, conversationId } = status;
  const accounts = [from, ...new Set(status.mentions.map(({ accountId }) => accountId).filter((id) => id !== from))];
  for (const account of isLocal(status) ? [from, ...mentioned] : mentioned) {
    const answers = answered.has(account);
    await tellAccount(effects, account, 'hearDirect', { conversationId, statusId, from, accounts, answers });
  }
}

async function notifyAuthor(
  effects: Effects,
  state: Readonly<ConversationState>,
  statusId: string,
  notice: AccountNotify & { readonly statusId: string },
): Promise<void> {
  const record = state.statuses.get(statusId)?.record;
  if (record === undefined || record.deleted || record.accountId === notice.from || !isLocal(record)) return;
  await tellAccount(effects, record.accountId, 'notify', notice);
}

async function retract(
  effects: Effects,
  state: Readonly<ConversationState>,
  notice: AccountRetractNotice & { readonly statusId: string },
): Promise<void> {
  const record = state.statuses.get(notice.statusId)?.record;
  if (record === undefined || record.deleted || record.accountId === notice.from || !isLocal(record)) return;
  await tellAccount(effects, record.accountId, 'retractNotice', notice);
}
