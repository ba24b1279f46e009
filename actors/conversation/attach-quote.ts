import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isProblem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { type ConversationState, changed, livingStatus, notFound } from './state.js';

export interface Commands {
  /** Sent to a quoting status of another server: its quote as far as it is proven. */
  attachQuote: { in: P.ConversationAttachQuote; out: P.AccountEmpty };
}
export interface Events {
  quoteAttached: P.ConversationQuoteAttached;
}

/** Quotes in statuses of other servers, which name the status that they quote and the proof of its author's consent. */
export const attachQuote: Slice<ConversationState, Commands, Events> = {
  decide: {
    attachQuote(state, { statusId, by, quote }) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const { accountId, remote, quote: earlier } = entry.record;
      if (accountId !== by || remote === undefined) return notFound();
      if (isSame(earlier, quote) || isUnsaying(earlier, quote)) return { events: [], reply: {} };
      return { events: [{ type: 'quoteAttached', statusId, quote, earlier }], reply: {} };
    },
  },
  apply: {
    quoteAttached(state, { statusId, quote }) {
      const entry = state.statuses.get(statusId);
      if (entry !== undefined) entry.record = changed(entry.record, { quote });
    },
  },
  commands: {
    attachQuote: {
      in: codec('murmuration.conversation.AttachQuote'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
    },
  },
  events: { quoteAttached: { codec: codec('murmuration.conversation.QuoteAttached'), invalidates: false } },
};

const FIELDS = ['statusId', 'accountId', 'conversationId', 'state', 'uri', 'approvalUri'] as const;

const isSame = (one: P.AccountQuote | undefined, other: P.AccountQuote | undefined): boolean =>
  FIELDS.every((field) => (one?.[field] || '') === (other?.[field] || ''));

/**
 * Returns true if a quote would be no longer revoked, although nobody has permitted it again; or no longer permitted,
 * although the author here has not revoked it: a proof may be older than the answer to a request.
 */
function isUnsaying(earlier: P.AccountQuote | undefined, quote: P.AccountQuote | undefined): boolean {
  if (earlier === undefined || quote?.statusId !== earlier.statusId || quote.state === 'accepted') return false;
  return earlier.state === 'revoked' || (earlier.state === 'accepted' && !earlier.uri && quote.state !== 'revoked');
}
