import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isProblem, problem } from '../domain/problem.js';
import type { Part } from '../runtime/part.js';
import { type ConversationState, livingStatus, MARKS_MAX, recount } from './state.js';

export interface Commands {
  favourite: { in: P.ConversationFavourite; out: P.AccountEmpty };
  unfavourite: { in: P.ConversationUnfavourite; out: P.ConversationUndone };
}
export interface Events {
  favourited: P.ConversationFavourited;
  unfavourited: P.ConversationUnfavourited;
}

const empty = codec('murmuration.account.Empty');

/** Who likes what. Whether they may see it was asked before. */
export const favourite: Part<ConversationState, Commands, Events> = {
  decide: {
    favourite(state, { statusId, by }, { nowMs, newId }) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      if (entry.favourites?.has(by)) return { events: [], reply: {} };
      if (state.marks >= MARKS_MAX) return problem('limit_reached', 'This conversation takes no more favourites');
      return { events: [{ type: 'favourited', statusId, by, markId: newId(), atMs: nowMs }], reply: {} };
    },
    unfavourite(state, { statusId, by }) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const markId = entry.favourites?.get(by);
      if (markId === undefined) return { events: [], reply: { was: false } };
      return { events: [{ type: 'unfavourited', statusId, by, markId }], reply: { was: true } };
    },
  },
  apply: {
    favourited(state, { statusId, by, markId }) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined) return;
      entry.favourites ??= new Map();
      entry.favourites.set(by, markId);
      state.marks += 1;
      recount(entry);
    },
    unfavourited(state, { statusId, by }) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined) return;
      entry.favourites?.delete(by);
      state.marks -= 1;
      recount(entry);
    },
  },
  commands: {
    favourite: { in: codec('murmuration.conversation.Favourite'), out: empty },
    unfavourite: { in: codec('murmuration.conversation.Unfavourite'), out: codec('murmuration.conversation.Undone') },
  },
  events: {
    favourited: codec('murmuration.conversation.Favourited'),
    unfavourited: codec('murmuration.conversation.Unfavourited'),
  },
};
