import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { isProblem, problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { LazyMap } from '../runtime/state/lazy-collections.js';
import { type ConversationState, changed, countReplies, type Graft, livingStatus, notFound } from './state.js';

export interface Commands {
  /** Sent to a conversation whose first status answers a status of another conversation. */
  nameParent: { in: P.ConversationNameParent; out: P.AccountEmpty };
  /** Sent by the reply's conversation to that of the status that it answers. */
  graft: { in: P.ConversationGraft; out: P.AccountEmpty };
  /** Sent when the reply is deleted. */
  ungraft: { in: P.ConversationUngraft; out: P.AccountEmpty };
}
export interface Events {
  parentNamed: P.ConversationNameParent;
  grafted: P.ConversationGraft;
  ungrafted: P.ConversationUngraft;
}

/** Grafts of one status: its deletion sends as many commands. Others are found from the reply only. */
export const GRAFTS_OF_STATUS_MAX = 100;
/** Other conversations that are followed above a status, and below it. */
export const GRAFTS_FOLLOWED_MAX = 8;
/** Grafts of one conversation: bounds its state to some 100 KB of them. */
export const GRAFTS_OF_CONVERSATION_MAX = 1_000;

/**
 * Replies that began conversations of their own, because the status that they answer arrived later or because its
 * conversation was full. Both conversations know of each other.
 */
export const graft: Slice<ConversationState, Commands, Events> = {
  decide: {
    nameParent(state, named) {
      const entry = livingStatus(state, named.statusId);
      if (isProblem(entry)) return entry;
      // Statuses of other servers may claim to answer each other in a circle: one of them is the first here.
      if (state.statuses.has(named.parentId)) return notFound();
      const { record } = entry;
      const known = state.parentElsewhere;
      if (known === undefined ? record.inReplyToId !== undefined : !isAbout(known, named)) return notFound();
      const isKnown = known !== undefined && (!named.gone || record.parentGone === true);
      return { events: isKnown ? [] : [{ type: 'parentNamed', ...named }], reply: {} };
    },
    graft(state, { statusId, replyId, open }) {
      // The status may still be on its way from its author.
      if (state.statuses.get(statusId)?.record.deleted === true) return notFound();
      if (state.statuses.has(replyId) || graftOf(state, statusId, replyId) !== undefined)
        return { events: [], reply: {} };
      const ofStatus = state.grafts?.get(statusId)?.length ?? 0;
      if (ofStatus >= GRAFTS_OF_STATUS_MAX || graftsIn(state) >= GRAFTS_OF_CONVERSATION_MAX)
        return problem('limit_reached', 'The conversation has too many replies elsewhere');
      return { events: [{ type: 'grafted', statusId, replyId, open }], reply: {} };
    },
    ungraft(state, { statusId, replyId }) {
      if (graftOf(state, statusId, replyId) === undefined) return notFound();
      return { events: [{ type: 'ungrafted', statusId, replyId }], reply: {} };
    },
  },
  apply: {
    parentNamed(state, { statusId, parentId, parentAccountId, conversationId, gone }) {
      const entry = state.statuses.get(statusId);
      if (entry === undefined) return;
      const parent = { inReplyToId: parentId, inReplyToAccountId: parentAccountId };
      entry.record = changed(entry.record, gone ? { ...parent, parentGone: true } : parent);
      state.parentElsewhere = { statusId, parentId, conversationId };
    },
    grafted(state, { statusId, replyId, open }) {
      state.grafts ??= new LazyMap();
      state.grafts.set(statusId, [...(state.grafts.get(statusId) ?? []), { replyId, open }]);
      const entry = state.statuses.get(statusId);
      if (open && entry !== undefined) countReplies(entry, 1);
    },
    ungrafted(state, { statusId, replyId }) {
      const entry = state.statuses.get(statusId);
      const known = graftOf(state, statusId, replyId);
      if (known === undefined) return;
      const others = state.grafts?.get(statusId)?.filter((one) => one !== known) ?? [];
      if (others.length > 0) state.grafts?.set(statusId, others);
      else state.grafts?.delete(statusId);
      if (known.open && entry !== undefined) countReplies(entry, -1);
    },
  },
  commands: {
    nameParent: { in: codec('murmuration.conversation.NameParent'), out: empty(), repeats: 'idempotent', local: true },
    graft: { in: codec('murmuration.conversation.Graft'), out: empty(), repeats: 'idempotent', local: true },
    ungraft: { in: codec('murmuration.conversation.Ungraft'), out: empty(), repeats: 'idempotent', local: true },
  },
  events: {
    parentNamed: { codec: codec('murmuration.conversation.NameParent'), invalidates: false },
    grafted: { codec: codec('murmuration.conversation.Graft'), invalidates: false },
    ungrafted: { codec: codec('murmuration.conversation.Ungraft'), invalidates: false },
  },
};

function empty() {
  return codec('murmuration.account.Empty');
}

const isAbout = (
  known: NonNullable<ConversationState['parentElsewhere']>,
  { statusId, parentId }: P.ConversationNameParent,
): boolean => known.statusId === statusId && known.parentId === parentId;

const graftOf = ({ grafts }: Readonly<ConversationState>, statusId: string, replyId: string): Graft | undefined =>
  grafts?.get(statusId)?.find((one) => one.replyId === replyId);

function graftsIn({ grafts }: Readonly<ConversationState>): number {
  let count = 0;
  for (const { length } of grafts?.values() ?? []) count += length;
  return count;
}
