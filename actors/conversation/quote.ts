import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isLocal } from '../domain/addresses.js';
import { isProblem, problem } from '../domain/problem.js';
import { fitsQuote, mayQuote } from '../domain/quoting.js';
import type { Ctx, Slice } from '../runtime/slice.js';
import { changeMark, dueTurn, heldMark, knownMark, markOfQuote, tooManyMarks } from './marks.js';
import type { TurnEvents } from './marks-part.js';
import { type ConversationState, changed, livingStatus, notFound, recount, type ThreadEntry } from './state.js';

export interface Commands {
  /** Sent to the quoted status: records the quote if it is permitted. `quoteState` returns the result. */
  quote: { in: P.ConversationQuote; out: P.AccountEmpty };
  quoteState: { in: P.ConversationQuoteState; out: P.ConversationQuoteAnswer };
  revokeQuote: { in: P.ConversationRevokeQuote; out: P.AccountEmpty };
  unquote: { in: P.ConversationUnquote; out: P.AccountEmpty };
  /** Sent to the quoting status: changes the state of its quote. */
  settleQuote: { in: P.ConversationSettleQuote; out: P.AccountEmpty };
}
export interface Events {
  quoted: P.ConversationQuoted;
  quoteRevoked: P.ConversationQuoteRevoked;
  unquoted: P.ConversationUnquoted;
  quoteSettled: P.ConversationQuoteSettled;
}

/** Quotes. The quoted status decides; the quoting one stores the decision. */
export const quote: Slice<ConversationState, Commands, Events, TurnEvents> = {
  decide: {
    quote(state, { statusId, by, quotingId, visibility, follows, conversationId, approved = false }, ctx) {
      const entry = livingStatus(state, statusId);
      // The reply is always empty: `quoteState` returns the result.
      if (isProblem(entry) || tooManyMarks(entry, 'quotes') !== undefined) return { events: [], reply: {} };
      if (knownMark(entry, quotingId, ctx).mark.quote !== undefined) return { events: [], reply: {} };
      const { record } = entry;
      if (!approved && !isPermitted(record, by, follows, visibility)) return { events: [], reply: {} };
      const events = quotedNow(state, ctx, { statusId, by, quotingId, visibility, conversationId });
      return isProblem(events) ? events : { events, reply: {} };
    },
    quoteState(state, { statusId, quotingId }, ctx) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined || entry.record.deleted) return { events: [], reply: { state: 'deleted' } };
      const known = knownMark(entry, quotingId, ctx).mark.quote;
      const answer = known === undefined ? 'rejected' : known.revoked ? 'revoked' : 'accepted';
      return { events: [], reply: { state: answer } };
    },
    revokeQuote(state, { statusId, by, quotingId }, ctx) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const { mark, earlier } = knownMark(entry, quotingId, ctx);
      const known = mark.quote;
      if (known === undefined) return notFound();
      if (entry.record.accountId !== by) return problem('forbidden', 'This action is not allowed');
      if (known.revoked) return { events: [], reply: {} };
      const turn = dueTurn(state, ctx);
      if (isProblem(turn)) return turn;
      const { conversationId } = known;
      return { events: [{ type: 'quoteRevoked', statusId, quotingId, conversationId, earlier }, ...turn], reply: {} };
    },
    unquote(state, { statusId, quotingId }, ctx) {
      const entry = livingStatus(state, statusId);
      // The marks of a deleted status are removed with it.
      if (isProblem(entry)) return { events: [], reply: {} };
      const { mark, earlier } = knownMark(entry, quotingId, ctx);
      if (mark.quote === undefined) return { events: [], reply: {} };
      const turn = dueTurn(state, ctx);
      if (isProblem(turn)) return turn;
      return { events: [{ type: 'unquoted', statusId, quotingId, earlier }, ...turn], reply: {} };
    },
    settleQuote(state, { statusId, quotedId, state: wanted, approvalUri }) {
      const record = state.statuses.get(statusId)?.record;
      const held = record?.quote;
      if (record === undefined) return notFound();
      if (record.deleted || held?.statusId !== quotedId) return { events: [], reply: {} };
      // A refusal of what was permitted revokes it. A revoked quote stays revoked: answers may arrive out of order.
      const settled = wanted === 'rejected' && held.state === 'accepted' ? 'revoked' : wanted;
      if (held.state === settled || held.state === 'revoked') return { events: [], reply: {} };
      return { events: [{ type: 'quoteSettled', statusId, state: settled, approvalUri }], reply: {} };
    },
  },
  apply: {
    quoted(state, { statusId, by, quotingId, listed, conversationId }) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined) return;
      changeMark(state, entry, quotingId, { quote: { by, listed, conversationId, revoked: false } }, undefined);
      recount(entry, 1);
      if (listed) countQuotes(entry, 1);
    },
    quoteRevoked(state, { statusId, quotingId, earlier }) {
      const entry = state.statuses.get(statusId);
      const known = entry && (heldMark(entry, quotingId) ?? earlier)?.quote;
      if (entry === undefined || known === undefined) return;
      changeMark(state, entry, quotingId, { quote: { ...known, revoked: true } }, earlier);
      if (known.listed) countQuotes(entry, -1);
    },
    unquoted(state, { statusId, quotingId, earlier }) {
      const entry = state.statuses.get(statusId);
      const known = entry && (heldMark(entry, quotingId) ?? earlier)?.quote;
      if (entry === undefined || known === undefined) return;
      changeMark(state, entry, quotingId, { quote: undefined }, earlier);
      recount(entry, -1);
      if (known.listed && !known.revoked) countQuotes(entry, -1);
    },
    quoteSettled(state, { statusId, state: settled, approvalUri }) {
      const entry = state.statuses.get(statusId);
      const held = entry?.record.quote;
      if (entry === undefined || held === undefined) return;
      const quote = { ...held, state: settled, approvalUri: approvalUri ?? held.approvalUri };
      entry.record = changed(entry.record, { quote });
    },
  },
  commands: {
    quote: {
      in: codec('murmuration.conversation.Quote'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
      reads: markOfQuote,
    },
    quoteState: {
      in: codec('murmuration.conversation.QuoteState'),
      out: codec('murmuration.conversation.QuoteAnswer'),
      repeats: 'query',
      local: false,
      reads: markOfQuote,
    },
    revokeQuote: {
      in: codec('murmuration.conversation.RevokeQuote'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
      reads: markOfQuote,
    },
    unquote: {
      in: codec('murmuration.conversation.Unquote'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
      reads: markOfQuote,
    },
    settleQuote: {
      in: codec('murmuration.conversation.SettleQuote'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
    },
  },
  events: {
    quoted: { codec: codec('murmuration.conversation.Quoted'), invalidates: false },
    quoteRevoked: { codec: codec('murmuration.conversation.QuoteRevoked'), invalidates: true },
    unquoted: { codec: codec('murmuration.conversation.Unquoted'), invalidates: false },
    quoteSettled: { codec: codec('murmuration.conversation.QuoteSettled'), invalidates: false },
  },
};

/**
 * Returns true if the policy of a local status permits a quote. The server of another status decides itself: its policy
 * as known here permits nothing.
 */
export const isPermitted = (record: P.StoreStatusRecord, by: string, follows: boolean, visibility: string): boolean =>
  isLocal(record) && mayQuote(record, by, follows) && fitsQuote(record.visibility, visibility);

/** Returns the events of a quote that is permitted, or a refusal while too many marks change. */
export function quotedNow(
  state: Readonly<ConversationState>,
  ctx: Ctx,
  {
    visibility,
    ...quoted
  }: Pick<P.ConversationQuote, 'statusId' | 'by' | 'quotingId' | 'visibility' | 'conversationId'>,
) {
  const turn = dueTurn(state, ctx);
  if (isProblem(turn)) return turn;
  const listed = visibility === 'public' || visibility === 'unlisted';
  return [{ type: 'quoted' as const, ...quoted, listed, atMs: ctx.nowMs }, ...turn];
}

/** Counts only quotes that everybody may see, so that the count reveals nothing. */
function countQuotes(entry: ThreadEntry, change: 1 | -1): void {
  const quotes = (entry.record.quotes ?? 0) + change;
  entry.record = changed(entry.record, { quotes: quotes === 0 ? undefined : quotes });
}
