import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isProblem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { knownMark, markOfQuote, tooManyMarks } from './marks.js';
import type { TurnEvents } from './marks-part.js';
import { isPermitted, type Events as QuoteEvents, quotedNow } from './quote.js';
import { type ConversationState, livingStatus } from './state.js';

export interface Commands {
  /** Sent to the quoted status, which is local: another server asks to quote it. The same request gets the same answer. */
  requestQuote: { in: P.ConversationRequestQuote; out: P.AccountEmpty };
}
export interface Events {
  quoteAnswered: P.ConversationQuoteAnswered;
}

/** Requests of other servers to quote a local status, each of which is answered. Source: FEP-044f, QuoteRequest. */
export const requestQuote: Slice<ConversationState, Commands, Events, TurnEvents & Pick<QuoteEvents, 'quoted'>> = {
  decide: {
    requestQuote(state, { visibility, follows, approvalUri, ...asked }, ctx) {
      const { statusId, by, quotingId, conversationId } = asked;
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const answered = { type: 'quoteAnswered' as const, ...asked };
      const known = knownMark(entry, quotingId, ctx).mark.quote;
      if (known !== undefined) return { events: [known.revoked ? answered : { ...answered, approvalUri }], reply: {} };
      const isRefused = tooManyMarks(entry, 'quotes') !== undefined;
      if (isRefused || !isPermitted(entry.record, by, follows, visibility)) return { events: [answered], reply: {} };
      const events = quotedNow(state, ctx, { statusId, by, quotingId, visibility, conversationId });
      return isProblem(events) ? events : { events: [...events, { ...answered, approvalUri }], reply: {} };
    },
  },
  apply: { quoteAnswered() {} },
  commands: {
    requestQuote: {
      in: codec('murmuration.conversation.RequestQuote'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
      reads: markOfQuote,
    },
  },
  events: { quoteAnswered: { codec: codec('murmuration.conversation.QuoteAnswered'), invalidates: false } },
};
