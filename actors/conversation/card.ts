import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { cardLink } from '../domain/text/card-link.js';
import type { Slice } from '../runtime/slice.js';
import { type ConversationState, changed } from './state.js';

export interface Commands {
  setCard: { in: P.ConversationSetCard; out: P.AccountEmpty };
}
export interface Events {
  cardSet: P.ConversationCardSet;
}

/** The preview card of a status. */
export const card: Slice<ConversationState, Commands, Events> = {
  decide: {
    setCard(state, { statusId, card: shown }) {
      const record = state.statuses.get(statusId)?.record;
      if (record === undefined || record.deleted || shown === undefined) return { events: [], reply: {} };
      // The status may have been edited meanwhile and link to another page.
      if (cardLink(record) !== shown.url || JSON.stringify(record.card) === JSON.stringify(shown))
        return { events: [], reply: {} };
      return { events: [{ type: 'cardSet', statusId, card: shown }], reply: {} };
    },
  },
  apply: {
    cardSet(state, { statusId, card: shown }) {
      const entry = state.statuses.get(statusId);
      if (entry !== undefined) entry.record = changed(entry.record, { card: shown });
    },
  },
  commands: {
    setCard: {
      in: codec('murmuration.conversation.SetCard'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
  },
  events: { cardSet: { codec: codec('murmuration.conversation.CardSet'), invalidates: false } },
};
