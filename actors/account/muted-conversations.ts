import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import type { RelationState } from './relations.js';

export interface Commands {
  muteConversation: { in: P.AccountMuteConversation; out: P.AccountEmpty };
  unmuteConversation: { in: P.AccountUnmuteConversation; out: P.AccountEmpty };
}
export interface Events {
  conversationMuted: P.AccountConversationMuted;
  conversationUnmuted: P.AccountConversationUnmuted;
}

/** Bounds one activation's memory, and the size of its relations as a message (packed-relations.ts): 8 bytes each. */
export const MUTED_CONVERSATIONS_MAX = 5_000;

const empty = codec('murmuration.account.Empty');

/** Conversations that the owner has muted: activity in them makes no notifications (notify.ts). */
export const mutedConversations: Slice<RelationState, Commands, Events> = {
  decide: {
    muteConversation({ mutedConversations }, { conversationId }) {
      if (mutedConversations.has(conversationId)) return { events: [], reply: {} };
      if (mutedConversations.size >= MUTED_CONVERSATIONS_MAX)
        return problem('limit_reached', `You cannot mute more than ${MUTED_CONVERSATIONS_MAX} conversations`);
      return { events: [{ type: 'conversationMuted', conversationId }], reply: {} };
    },
    unmuteConversation({ mutedConversations }, { conversationId }) {
      if (!mutedConversations.has(conversationId)) return { events: [], reply: {} };
      return { events: [{ type: 'conversationUnmuted', conversationId }], reply: {} };
    },
  },
  apply: {
    conversationMuted: ({ mutedConversations }, { conversationId }) => void mutedConversations.add(conversationId),
    conversationUnmuted: ({ mutedConversations }, { conversationId }) => void mutedConversations.delete(conversationId),
  },
  commands: {
    muteConversation: {
      in: codec('murmuration.account.MuteConversation'),
      out: empty,
      repeats: 'idempotent',
      local: true,
    },
    unmuteConversation: {
      in: codec('murmuration.account.UnmuteConversation'),
      out: empty,
      repeats: 'idempotent',
      local: true,
    },
  },
  events: {
    conversationMuted: {
      codec: codec('murmuration.account.ConversationMuted'),
      invalidates: true,
      changesRelations: true,
    },
    conversationUnmuted: {
      codec: codec('murmuration.account.ConversationUnmuted'),
      invalidates: false,
      changesRelations: true,
    },
  },
};
