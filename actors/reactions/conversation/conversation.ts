import type { ReadTables } from '../../../store/port.js';
import type { ConversationEvents } from '../../conversation/slices.js';
import type { ConversationState } from '../../conversation/state.js';
import type { Reaction } from '../../runtime/kind.js';
import type { Publications } from '../../timelines/publications.js';
import { conversationStream } from '../stream.js';
import { conversationLinks } from '../web-page.js';
import { federatedMarks } from './federate-marks.js';
import { federatedQuotes } from './federate-quotes.js';
import { type FederationContext, federatedStatuses } from './federate-statuses.js';
import { conversationGrafts, joinedEarlyReplies } from './grafts.js';
import { type IsSilenced, sayingLimits } from './limited.js';
import { conversationNotices, conversationUnmarking } from './marks.js';
import { sayingAbove } from './muted-above.js';
import { relayAnnounces } from './relay-announces.js';
import { conversationRows } from './rows.js';
import { conversationCounts, conversationTells } from './tells.js';
import { conversationWords } from './words.js';

/**
 * Returns the reactions in the order of one event's effects: rows, then stream messages, then commands to other actors.
 */
export const conversationReactions = (
  tables: Pick<ReadTables, 'get' | 'range'> | undefined,
  isSilenced: IsSilenced,
  published: Pick<Publications, 'has' | 'isPassed'>,
  federation: FederationContext | undefined,
): readonly Reaction<ConversationState, ConversationEvents>[] => [
  conversationRows,
  ...(tables === undefined ? [] : [conversationWords(tables)]),
  conversationStream(published),
  conversationCounts,
  conversationUnmarking(tables),
  sayingAbove(sayingLimits(conversationTells, isSilenced), tables),
  sayingAbove(sayingLimits(conversationNotices(tables), isSilenced), tables),
  conversationLinks,
  conversationGrafts,
  ...(federation === undefined
    ? []
    : [
        joinedEarlyReplies(federation),
        federatedMarks(federation),
        federatedStatuses(federation),
        federatedQuotes(federation),
        relayAnnounces(federation),
      ]),
];
