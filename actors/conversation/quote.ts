import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isProblem, problem } from '../domain/problem.js';
import { fitsQuote, mayQuote } from '../domain/quoting.js';
import type { Part } from '../runtime/part.js';
import { type ConversationState, changed, type Entry, livingStatus, MARKS_MAX, notFound } from './state.js';

export interface Commands {
  /** To the quoted status: records the quote if it is permitted; `quoteState` tells. */
  quote: { in: P.ConversationQuote; out: P.AccountEmpty };
  quoteState: { in: P.ConversationQuoteState; out: P.ConversationQuoteAnswer };
  revokeQuote: { in: P.ConversationRevokeQuote; out: P.AccountEmpty };
  unquote: { in: P.ConversationUnquote; out: P.AccountEmpty };
  /** To the quoting status: what became of its quote. */
  settleQuote: { in: P.ConversationSettleQuote; out: P.AccountEmpty };
}
export interface Events {
  quoted: P.ConversationQuoted;
  quoteRevoked: P.ConversationQuoteRevoked;
  unquoted: P.ConversationUnquoted;
  quoteSettled: P.ConversationQuoteSettled;
}

/** Who quotes. The quoted status has the say; the quoting one remembers what it said. */
export const quote: Part<ConversationState, Commands, Events> = {
  decide: {
    quote(state, { statusId, by, quotingId, visibility, follows, conversationId }, { nowMs }) {
      const entry = livingStatus(state, statusId);
      // What comes of it, `quoteState` says.
      if (isProblem(entry) || entry.quotes?.has(quotingId) || state.marks >= MARKS_MAX)
        return { events: [], reply: {} };
      const { record } = entry;
      if (!mayQuote(record, by, follows) || !fitsQuote(record.visibility, visibility)) return { events: [], reply: {} };
      const listed = visibility === 'public' || visibility === 'unlisted';
      return {
        events: [{ type: 'quoted', statusId, by, quotingId, listed, atMs: nowMs, conversationId }],
        reply: {},
      };
    },
    quoteState(state, { statusId, quotingId }) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined || entry.record.deleted) return { events: [], reply: { state: 'deleted' } };
      const known = entry.quotes?.get(quotingId);
      const answer = known === undefined ? 'rejected' : known.revoked ? 'revoked' : 'accepted';
      return { events: [], reply: { state: answer } };
    },
    revokeQuote(state, { statusId, by, quotingId }) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const known = entry.quotes?.get(quotingId);
      if (known === undefined) return notFound();
      if (entry.record.accountId !== by) return problem('forbidden', 'This action is not allowed');
      return { events: known.revoked ? [] : [{ type: 'quoteRevoked', statusId, quotingId }], reply: {} };
    },
    unquote(state, { statusId, quotingId }) {
      const known = state.statuses.get(statusId)?.quotes?.has(quotingId) === true;
      return { events: known ? [{ type: 'unquoted', statusId, quotingId }] : [], reply: {} };
    },
    settleQuote(state, { statusId, quotedId, state: settled }) {
      const record = state.statuses.get(statusId)?.record;
      const held = record?.quote;
      if (record === undefined) return notFound();
      if (record.deleted || held?.statusId !== quotedId || held.state === settled) return { events: [], reply: {} };
      return { events: [{ type: 'quoteSettled', statusId, state: settled }], reply: {} };
    },
  },
  apply: {
    quoted(state, { statusId, by, quotingId, listed, conversationId }) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined) return;
      entry.quotes ??= new Map();
      entry.quotes.set(quotingId, { by, listed, conversationId, revoked: false });
      state.marks += 1;
      recountQuotes(entry);
    },
    quoteRevoked(state, { statusId, quotingId }) {
      const entry = state.statuses.get(statusId);
      const known = entry?.quotes?.get(quotingId);
      if (entry?.quotes === undefined || known === undefined) return;
      entry.quotes.set(quotingId, { ...known, revoked: true });
      recountQuotes(entry);
    },
    unquoted(state, { statusId, quotingId }) {
      const entry = state.statuses.get(statusId);
      if (entry?.quotes?.delete(quotingId) !== true) return;
      state.marks -= 1;
      recountQuotes(entry);
    },
    quoteSettled(state, { statusId, state: settled }) {
      const entry = state.statuses.get(statusId);
      if (entry?.record.quote === undefined) return;
      entry.record = changed(entry.record, { quote: { ...entry.record.quote, state: settled } });
    },
  },
  commands: {
    quote: { in: codec('murmuration.conversation.Quote'), out: codec('murmuration.account.Empty') },
    quoteState: {
      in: codec('murmuration.conversation.QuoteState'),
      out: codec('murmuration.conversation.QuoteAnswer'),
    },
    revokeQuote: { in: codec('murmuration.conversation.RevokeQuote'), out: codec('murmuration.account.Empty') },
    unquote: { in: codec('murmuration.conversation.Unquote'), out: codec('murmuration.account.Empty') },
    settleQuote: { in: codec('murmuration.conversation.SettleQuote'), out: codec('murmuration.account.Empty') },
  },
  events: {
    quoted: codec('murmuration.conversation.Quoted'),
    quoteRevoked: codec('murmuration.conversation.QuoteRevoked'),
    unquoted: codec('murmuration.conversation.Unquoted'),
    quoteSettled: codec('murmuration.conversation.QuoteSettled'),
  },
};

/** Only what anyone may see counts, so that the count gives nothing away. */
function recountQuotes(entry: Entry): void {
  if (entry.record.deleted) return;
  let quotes = 0;
  for (const { listed, revoked } of entry.quotes?.values() ?? []) if (listed && !revoked) quotes += 1;
  entry.record = changed(entry.record, { quotes: quotes === 0 ? undefined : quotes });
}
