import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isProblem } from '../domain/problem.js';
import { QUOTE_POLICY_DEFAULT } from '../domain/quoting.js';
import { invalidField } from '../domain/text/status-text.js';
import type { Slice } from '../runtime/slice.js';
import { type ConversationState, changed, livingStatus, notFound } from './state.js';

export interface Commands {
  setQuotePolicy: { in: P.ConversationSetQuotePolicy; out: P.AccountEmpty };
}
export interface Events {
  quotePolicySet: P.ConversationQuotePolicySet;
}

/** Policies in the words of the REST API. */
export const QUOTE_POLICIES = ['public', 'followers', 'nobody'] as const;

/** The author's policy on quotes of a status. */
export const quotePolicy: Slice<ConversationState, Commands, Events> = {
  decide: {
    setQuotePolicy(state, { statusId, by, policy }) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      if (entry.record.accountId !== by) return notFound();
      if (!QUOTE_POLICIES.some((known) => known === policy))
        return invalidField('quote_approval_policy', 'Quote policy', 'ERR_INCLUSION', 'is not included in the list');
      if ((entry.record.quotePolicy ?? QUOTE_POLICY_DEFAULT) === policy) return { events: [], reply: {} };
      return { events: [{ type: 'quotePolicySet', statusId, policy }], reply: {} };
    },
  },
  apply: {
    quotePolicySet(state, { statusId, policy, manualPolicy }) {
      const entry = state.statuses.get(statusId);
      if (entry !== undefined)
        entry.record = changed(entry.record, { quotePolicy: policy, manualQuotePolicy: manualPolicy });
    },
  },
  commands: {
    setQuotePolicy: {
      in: codec('murmuration.conversation.SetQuotePolicy'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
  },
  events: { quotePolicySet: { codec: codec('murmuration.conversation.QuotePolicySet'), invalidates: true } },
};
