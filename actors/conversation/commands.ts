import type * as bookmark from './bookmark.js';
import type * as card from './card.js';
import type * as edit from './edit.js';
import type * as favourite from './favourite.js';
import type * as marksPart from './marks-part.js';
import type * as poll from './poll.js';
import type * as quote from './quote.js';
import type * as quotePolicy from './quote-policy.js';
import type * as reblog from './reblog.js';
import type * as thread from './thread.js';

/** Everything one can ask of a conversation actor. */
export interface ConversationCommands
  extends thread.Commands,
    favourite.Commands,
    reblog.Commands,
    bookmark.Commands,
    card.Commands,
    edit.Commands,
    quote.Commands,
    quotePolicy.Commands,
    poll.Commands,
    marksPart.Commands {}

/** Everything that a conversation actor's journal holds. */
export interface ConversationEvents
  extends thread.Events,
    favourite.Events,
    reblog.Events,
    bookmark.Events,
    card.Events,
    edit.Events,
    quote.Events,
    quotePolicy.Events,
    poll.Events,
    marksPart.Events {}
