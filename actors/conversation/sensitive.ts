import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isProblem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { type Events as EditEvents, revisionOf } from './edit.js';
import { type ConversationState, livingStatus, notFound } from './state.js';

export interface Commands {
  markSensitive: { in: P.ConversationMarkSensitive; out: P.AccountEmpty };
}

/** Marks a status as sensitive for moderators, as an edit that changes nothing else. `by`: the author. */
export const sensitive: Slice<ConversationState, Commands, object, Pick<EditEvents, 'edited'>> = {
  decide: {
    markSensitive(state, { statusId, by }, { nowMs }) {
      const entry = livingStatus(state, statusId);
      if (isProblem(entry)) return entry;
      const { record } = entry;
      if (record.accountId !== by) return notFound();
      if (record.sensitive) return { events: [], reply: {} };
      const edits = record.edits ?? 0;
      const now = revisionOf(record);
      const edited: P.ConversationEdited = {
        statusId,
        number: edits + 1,
        revision: { ...now, sensitive: true, atMs: nowMs },
        poll: record.poll,
        first: edits === 0 ? now : undefined,
        mentions: record.mentions,
        tags: record.tags,
        untagged: [],
        newlyMentioned: [],
      };
      return { events: [{ type: 'edited', ...edited }], reply: {} };
    },
  },
  apply: {},
  commands: {
    markSensitive: {
      in: codec('murmuration.conversation.MarkSensitive'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
  },
  events: {},
};
