import type { CommandsOf, EventsOf } from '../runtime/slice.js';
import { attachQuote } from './attach-quote.js';
import { bookmark } from './bookmark.js';
import { card } from './card.js';
import { edit } from './edit.js';
import { favourite } from './favourite.js';
import { graft } from './graft.js';
import { marksPart } from './marks-part.js';
import { poll } from './poll.js';
import { quote } from './quote.js';
import { quotePolicy } from './quote-policy.js';
import { reblog } from './reblog.js';
import { requestQuote } from './request-quote.js';
import { sensitive } from './sensitive.js';
import { thread } from './thread.js';

/** The slices of a conversation: a new one is its file and its line here. */
export const conversationSlices = [
  thread,
  graft,
  favourite,
  reblog,
  bookmark,
  card,
  edit,
  sensitive,
  quote,
  quotePolicy,
  requestQuote,
  attachQuote,
  poll,
  marksPart,
] as const;

/** All commands of a conversation actor. */
export type ConversationCommands = CommandsOf<typeof conversationSlices>;
/** All events in a conversation actor's journal. */
export type ConversationEvents = EventsOf<typeof conversationSlices>;
