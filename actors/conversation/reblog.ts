import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isProblem, problem } from '../domain/problem.js';
import type { Part } from '../runtime/part.js';
import { type ConversationState, livingStatus, MARKS_MAX, recount } from './state.js';

export interface Commands {
  reblog: { in: P.ConversationReblog; out: P.ConversationReblogReply };
  unreblog: { in: P.ConversationUnreblog; out: P.ConversationReblogReply };
}
export interface Events {
  reblogged: P.ConversationReblogged;
  unreblogged: P.ConversationUnreblogged;
}

const REBLOG_VISIBILITIES = ['public', 'unlisted', 'private'];

/** Who passes what on. Whether they may see it was asked before. */
export const reblog: Part<ConversationState, Commands, Events> = {
  decide: {
    reblog(state, { statusId, by, visibility }, { nowMs, newId }) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const earlier = entry.reblogs?.get(by);
      if (earlier !== undefined) return { events: [], reply: { reblogId: earlier.id } };
      const original = entry.record.visibility;
      if (original !== 'public' && original !== 'unlisted')
        return problem('invalid', 'Validation failed: Private and direct statuses cannot be reblogged');
      const chosen = visibility ?? original;
      if (!REBLOG_VISIBILITIES.includes(chosen))
        return problem('invalid', 'Validation failed: Visibility is not included in the list', {
          visibility: [{ error: 'ERR_INCLUSION', description: 'is not included in the list' }],
        });
      if (state.marks >= MARKS_MAX) return problem('limit_reached', 'This conversation takes no more reblogs');
      const reblogId = newId();
      return {
        events: [{ type: 'reblogged', statusId, by, reblogId, visibility: chosen, atMs: nowMs }],
        reply: { reblogId },
      };
    },
    unreblog(state, { statusId, by }) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const reblogId = entry.reblogs?.get(by)?.id;
      if (reblogId === undefined) return { events: [], reply: {} };
      return { events: [{ type: 'unreblogged', statusId, by, reblogId }], reply: { reblogId } };
    },
  },
  apply: {
    reblogged(state, { statusId, by, reblogId, visibility, atMs }) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined) return;
      entry.reblogs ??= new Map();
      entry.reblogs.set(by, { id: reblogId, visibility, atMs });
      state.marks += 1;
      recount(entry);
    },
    unreblogged(state, { statusId, by }) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined) return;
      entry.reblogs?.delete(by);
      state.marks -= 1;
      recount(entry);
    },
  },
  commands: {
    reblog: { in: codec('murmuration.conversation.Reblog'), out: codec('murmuration.conversation.ReblogReply') },
    unreblog: { in: codec('murmuration.conversation.Unreblog'), out: codec('murmuration.conversation.ReblogReply') },
  },
  events: {
    reblogged: codec('murmuration.conversation.Reblogged'),
    unreblogged: codec('murmuration.conversation.Unreblogged'),
  },
};
