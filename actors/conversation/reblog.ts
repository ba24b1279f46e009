import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isProblem, problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { changeMark, dueTurn, knownMark, markOfAccount, shownStatus, tooManyMarks } from './marks.js';
import type { TurnEvents } from './marks-part.js';
import { type ConversationState, livingStatus, recount } from './state.js';

export interface Commands {
  reblog: { in: P.ConversationReblog; out: P.ConversationReblogReply };
  unreblog: { in: P.ConversationUnreblog; out: P.ConversationReblogReply };
}
export interface Events {
  reblogged: P.ConversationReblogged;
  unreblogged: P.ConversationUnreblogged;
}

const REBLOG_VISIBILITIES = ['public', 'unlisted', 'private'];

/** Reblogs. The gateway checks that the account may see the status. */
export const reblog: Slice<ConversationState, Commands, Events, TurnEvents> = {
  decide: {
    reblog(state, { statusId, by, visibility }, ctx) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const { mark, earlier } = knownMark(entry, by, ctx);
      if (mark.reblogId !== undefined) return { events: [], reply: { reblogId: mark.reblogId } };
      const original = entry.record.visibility;
      if (original !== 'public' && original !== 'unlisted')
        return problem('invalid', 'Validation failed: Private and direct statuses cannot be reblogged');
      const chosen = visibility ?? original;
      if (!REBLOG_VISIBILITIES.includes(chosen))
        return problem('invalid', 'Validation failed: Visibility is not included in the list', {
          visibility: [{ error: 'ERR_INCLUSION', description: 'is not included in the list' }],
        });
      const turn = tooManyMarks(entry, 'reblogs') ?? dueTurn(state, ctx);
      if (isProblem(turn)) return turn;
      const reblogId = ctx.newId();
      const event = { statusId, by, reblogId, visibility: chosen, atMs: ctx.nowMs, earlier };
      return { events: [{ type: 'reblogged', ...event }, ...turn], reply: { reblogId } };
    },
    unreblog(state, { statusId, by }, ctx) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const { mark, earlier } = knownMark(entry, by, ctx);
      const { reblogId } = mark;
      if (reblogId === undefined) return { events: [], reply: {} };
      const turn = dueTurn(state, ctx);
      if (isProblem(turn)) return turn;
      return { events: [{ type: 'unreblogged', statusId, by, reblogId, earlier }, ...turn], reply: { reblogId } };
    },
  },
  apply: {
    reblogged(state, { statusId, by, reblogId, earlier }) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined) return;
      changeMark(state, entry, by, { reblogId }, earlier);
      recount(entry, 1, { reblogs: entry.record.reblogs + 1 });
    },
    unreblogged(state, { statusId, by, earlier }) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined) return;
      changeMark(state, entry, by, { reblogId: undefined }, earlier);
      recount(entry, -1, { reblogs: entry.record.reblogs - 1 });
    },
  },
  commands: {
    reblog: {
      in: codec('murmuration.conversation.Reblog'),
      out: codec('murmuration.conversation.ReblogReply'),
      repeats: 'idempotent',
      local: false,
      shows: shownStatus,
      reads: markOfAccount,
    },
    unreblog: {
      in: codec('murmuration.conversation.Unreblog'),
      out: codec('murmuration.conversation.ReblogReply'),
      repeats: 'idempotent',
      local: false,
      shows: shownStatus,
      reads: markOfAccount,
    },
  },
  events: {
    reblogged: { codec: codec('murmuration.conversation.Reblogged'), invalidates: false },
    unreblogged: { codec: codec('murmuration.conversation.Unreblogged'), invalidates: true },
  },
};
