import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isProblem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { changeMark, dueTurn, knownMark, markOfAccount, tooManyMarks } from './marks.js';
import type { TurnEvents } from './marks-part.js';
import { type ConversationState, livingStatus, recount } from './state.js';

export interface Commands {
  bookmark: { in: P.ConversationBookmark; out: P.AccountEmpty };
  unbookmark: { in: P.ConversationUnbookmark; out: P.ConversationUndone };
}
export interface Events {
  bookmarked: P.ConversationBookmarked;
  unbookmarked: P.ConversationUnbookmarked;
}

/** Bookmarks: private, and not counted. The gateway checks that the account may see the status. */
export const bookmark: Slice<ConversationState, Commands, Events, TurnEvents> = {
  decide: {
    bookmark(state, { statusId, by }, ctx) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const { mark, earlier } = knownMark(entry, by, ctx);
      if (mark.bookmarkId !== undefined) return { events: [], reply: {} };
      const turn = tooManyMarks(entry, 'bookmarks') ?? dueTurn(state, ctx);
      if (isProblem(turn)) return turn;
      return { events: [{ type: 'bookmarked', statusId, by, markId: ctx.newId(), earlier }, ...turn], reply: {} };
    },
    unbookmark(state, { statusId, by }, ctx) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const { mark, earlier } = knownMark(entry, by, ctx);
      const { bookmarkId: markId } = mark;
      if (markId === undefined) return { events: [], reply: { was: false } };
      const turn = dueTurn(state, ctx);
      if (isProblem(turn)) return turn;
      return { events: [{ type: 'unbookmarked', statusId, by, markId, earlier }, ...turn], reply: { was: true } };
    },
  },
  apply: {
    bookmarked(state, { statusId, by, markId, earlier }) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined) return;
      changeMark(state, entry, by, { bookmarkId: markId }, earlier);
      recount(entry, 1);
    },
    unbookmarked(state, { statusId, by, earlier }) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined) return;
      changeMark(state, entry, by, { bookmarkId: undefined }, earlier);
      recount(entry, -1);
    },
  },
  commands: {
    bookmark: {
      in: codec('murmuration.conversation.Bookmark'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
      reads: markOfAccount,
    },
    unbookmark: {
      in: codec('murmuration.conversation.Unbookmark'),
      out: codec('murmuration.conversation.Undone'),
      repeats: 'idempotent',
      local: true,
      reads: markOfAccount,
    },
  },
  events: {
    bookmarked: { codec: codec('murmuration.conversation.Bookmarked'), invalidates: false, overlaps: () => true },
    unbookmarked: { codec: codec('murmuration.conversation.Unbookmarked'), invalidates: false },
  },
};
