import type { ReadTables } from '../../store/port.js';
import { statuses } from '../../store/tables.js';
import { bookmark } from '../conversation/bookmark.js';
import { card } from '../conversation/card.js';
import type { ConversationCommands, ConversationEvents } from '../conversation/commands.js';
import { edit } from '../conversation/edit.js';
import { favourite } from '../conversation/favourite.js';
import { neededRow } from '../conversation/marks.js';
import { marksPart } from '../conversation/marks-part.js';
import { poll } from '../conversation/poll.js';
import { quote } from '../conversation/quote.js';
import { quotePolicy } from '../conversation/quote-policy.js';
import { reblog } from '../conversation/reblog.js';
import { type ConversationState, initialConversation } from '../conversation/state.js';
import { thread } from '../conversation/thread.js';
import { conversationReactions } from '../reactions/conversation/conversation.js';
import type { IsSilenced } from '../reactions/conversation/limited.js';
import type { ActorKind } from '../runtime/kind.js';

/**
 * The kind of actor that orders everything said and done in one conversation: all its slices as one. `tables`: where
 * the words of statuses are looked up that were edited; absent, searches do not hear of edits.
 */
export function conversationKind(
  tables?: Pick<ReadTables, 'range'>,
  isSilenced: IsSilenced = () => false,
): ActorKind<ConversationState, ConversationCommands, ConversationEvents> {
  return {
    name: 'conversation',
    initial: initialConversation,
    slice: {
      decide: {
        ...thread.decide,
        ...favourite.decide,
        ...reblog.decide,
        ...bookmark.decide,
        ...card.decide,
        ...edit.decide,
        ...quote.decide,
        ...quotePolicy.decide,
        ...poll.decide,
        ...marksPart.decide,
      },
      apply: {
        ...thread.apply,
        ...favourite.apply,
        ...reblog.apply,
        ...bookmark.apply,
        ...card.apply,
        ...edit.apply,
        ...quote.apply,
        ...quotePolicy.apply,
        ...poll.apply,
        ...marksPart.apply,
      },
    },
    commands: {
      ...thread.commands,
      ...favourite.commands,
      ...reblog.commands,
      ...bookmark.commands,
      ...card.commands,
      ...edit.commands,
      ...quote.commands,
      ...quotePolicy.commands,
      ...poll.commands,
      ...marksPart.commands,
    },
    events: {
      ...thread.events,
      ...favourite.events,
      ...reblog.events,
      ...bookmark.events,
      ...card.events,
      ...edit.events,
      ...quote.events,
      ...quotePolicy.events,
      ...poll.events,
      ...marksPart.events,
    },
    // What many do at once; the author is told of each behind its reply, first of all that it does there.
    overlaps: (type) => type === 'favourited' || type === 'bookmarked',
    takeAway: ['removed', 'edited', 'unreblogged', 'quoteRevoked', 'quotePolicySet'],
    forgets: ['removed'],
    stateVersion: 10,
    remembered: ['vote'],
    queries: ['context', 'quoteState'],
    minted: true,
    shows: { favourite: shown, unfavourite: shown, reblog: shown, unreblog: shown },
    reads: {
      ...{ favourite: byAccount, unfavourite: byAccount, reblog: byAccount, unreblog: byAccount },
      ...{ bookmark: byAccount, unbookmark: byAccount, vote: byAccount },
      ...{ quote: byQuote, quoteState: byQuote, revokeQuote: byQuote, unquote: byQuote },
    },
    reactions: conversationReactions(tables, isSilenced),
  };
}

const byAccount = (state: Readonly<ConversationState>, { statusId, by }: { statusId: string; by: string }) =>
  neededRow(state, statusId, by);
const byQuote = (
  state: Readonly<ConversationState>,
  { statusId, quotingId }: { statusId: string; quotingId: string },
) => neededRow(state, statusId, quotingId);

const shown = (_id: string, { statusId }: { readonly statusId: string }) => [
  { table: statuses, key: { status: statusId } },
];
