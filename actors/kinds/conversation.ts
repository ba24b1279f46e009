import type { ReadTables } from '../../store/port.js';
import { type ConversationCommands, type ConversationEvents, conversationSlices } from '../conversation/slices.js';
import { type ConversationState, initialConversation } from '../conversation/state.js';
import { conversationReactions } from '../reactions/conversation/conversation.js';
import type { FederationContext } from '../reactions/conversation/federate-statuses.js';
import type { IsSilenced } from '../reactions/conversation/limited.js';
import type { ActorKind } from '../runtime/kind.js';
import { joined } from '../runtime/slice.js';
import type { Publications } from '../timelines/publications.js';

const slices = joined(conversationSlices);

/**
 * The kind of actor that orders everything in one conversation. `tables` is needed to look up the words of edited
 * statuses; without it, the search index does not follow edits. `federation` is needed to tell other servers.
 */
export function conversationKind(
  tables?: Pick<ReadTables, 'get' | 'range'>,
  isSilenced: IsSilenced = () => false,
  published: Pick<Publications, 'has' | 'isPassed'> = { has: () => undefined, isPassed: () => true },
  federation?: FederationContext,
): ActorKind<ConversationState, ConversationCommands, ConversationEvents> {
  return {
    ...slices,
    name: 'conversation',
    initial: initialConversation,
    stateVersion: 10,
    minted: true,
    reactions: conversationReactions(tables, isSilenced, published, federation),
  };
}
