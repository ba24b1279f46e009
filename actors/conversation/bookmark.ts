import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isProblem, problem } from '../domain/problem.js';
import type { Part } from '../runtime/part.js';
import { type ConversationState, livingStatus, MARKS_MAX } from './state.js';

export interface Commands {
  bookmark: { in: P.ConversationBookmark; out: P.AccountEmpty };
  unbookmark: { in: P.ConversationUnbookmark; out: P.ConversationUndone };
}
export interface Events {
  bookmarked: P.ConversationBookmarked;
  unbookmarked: P.ConversationUnbookmarked;
}

/** Who keeps what for later: counted nowhere and told to nobody. Whether they may see it was asked before. */
export const bookmark: Part<ConversationState, Commands, Events> = {
  decide: {
    bookmark(state, { statusId, by }, { newId }) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      if (entry.bookmarks?.has(by)) return { events: [], reply: {} };
      if (state.marks >= MARKS_MAX) return problem('limit_reached', 'This conversation takes no more bookmarks');
      return { events: [{ type: 'bookmarked', statusId, by, markId: newId() }], reply: {} };
    },
    unbookmark(state, { statusId, by }) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const markId = entry.bookmarks?.get(by);
      if (markId === undefined) return { events: [], reply: { was: false } };
      return { events: [{ type: 'unbookmarked', statusId, by, markId }], reply: { was: true } };
    },
  },
  apply: {
    bookmarked(state, { statusId, by, markId }) {
      const entry = state.statuses.get(statusId);
      if (entry !== undefined) {
        entry.bookmarks ??= new Map();
        entry.bookmarks.set(by, markId);
      }
      state.marks += 1;
    },
    unbookmarked(state, { statusId, by }) {
      state.statuses.get(statusId)?.bookmarks?.delete(by);
      state.marks -= 1;
    },
  },
  commands: {
    bookmark: { in: codec('murmuration.conversation.Bookmark'), out: codec('murmuration.account.Empty') },
    unbookmark: { in: codec('murmuration.conversation.Unbookmark'), out: codec('murmuration.conversation.Undone') },
  },
  events: {
    bookmarked: codec('murmuration.conversation.Bookmarked'),
    unbookmarked: codec('murmuration.conversation.Unbookmarked'),
  },
};
