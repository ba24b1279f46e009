import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isProblem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { changeMark, dueTurn, knownMark, markOfAccount, shownStatus, tooManyMarks } from './marks.js';
import type { TurnEvents } from './marks-part.js';
import { type ConversationState, livingStatus, recount } from './state.js';

export interface Commands {
  favourite: { in: P.ConversationFavourite; out: P.AccountEmpty };
  unfavourite: { in: P.ConversationUnfavourite; out: P.ConversationUndone };
}
export interface Events {
  favourited: P.ConversationFavourited;
  unfavourited: P.ConversationUnfavourited;
}

const empty = codec('murmuration.account.Empty');

/** Favourites. The gateway checks that the account may see the status. */
export const favourite: Slice<ConversationState, Commands, Events, TurnEvents> = {
  decide: {
    favourite(state, { statusId, by }, ctx) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const { mark, earlier } = knownMark(entry, by, ctx);
      if (mark.favouriteId !== undefined) return { events: [], reply: {} };
      const turn = tooManyMarks(entry, 'favourites') ?? dueTurn(state, ctx);
      if (isProblem(turn)) return turn;
      const event = { statusId, by, markId: ctx.newId(), atMs: ctx.nowMs, earlier };
      return { events: [{ type: 'favourited', ...event }, ...turn], reply: {} };
    },
    unfavourite(state, { statusId, by }, ctx) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const { mark, earlier } = knownMark(entry, by, ctx);
      const { favouriteId: markId } = mark;
      if (markId === undefined) return { events: [], reply: { was: false } };
      const turn = dueTurn(state, ctx);
      if (isProblem(turn)) return turn;
      return { events: [{ type: 'unfavourited', statusId, by, markId, earlier }, ...turn], reply: { was: true } };
    },
  },
  apply: {
    favourited(state, { statusId, by, markId, earlier }) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined) return;
      changeMark(state, entry, by, { favouriteId: markId }, earlier);
      recount(entry, 1, { favourites: entry.record.favourites + 1 });
    },
    unfavourited(state, { statusId, by, earlier }) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined) return;
      changeMark(state, entry, by, { favouriteId: undefined }, earlier);
      recount(entry, -1, { favourites: entry.record.favourites - 1 });
    },
  },
  commands: {
    favourite: {
      in: codec('murmuration.conversation.Favourite'),
      out: empty,
      repeats: 'idempotent',
      local: false,
      shows: shownStatus,
      reads: markOfAccount,
    },
    unfavourite: {
      in: codec('murmuration.conversation.Unfavourite'),
      out: codec('murmuration.conversation.Undone'),
      repeats: 'idempotent',
      local: false,
      shows: shownStatus,
      reads: markOfAccount,
    },
  },
  events: {
    favourited: { codec: codec('murmuration.conversation.Favourited'), invalidates: false, overlaps: () => true },
    unfavourited: { codec: codec('murmuration.conversation.Unfavourited'), invalidates: false },
  },
};
