import type * as P from '../../proto/gen/types.js';
import type { AccountEmpty } from '../../proto/gen/types.js';

/** Everything one can ask of a conversation actor. */
export interface ConversationCommands {
  add: { in: P.ConversationAdd; out: AccountEmpty };
  remove: { in: P.ConversationRemove; out: AccountEmpty };
  favourite: { in: P.ConversationFavourite; out: AccountEmpty };
  unfavourite: { in: P.ConversationUnfavourite; out: AccountEmpty };
  reblog: { in: P.ConversationReblog; out: P.ConversationReblogReply };
  unreblog: { in: P.ConversationUnreblog; out: P.ConversationReblogReply };
  context: { in: P.ConversationContext; out: P.ConversationThread };
}
