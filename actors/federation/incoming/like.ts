import type { ActivityHandler } from '../inbox/port.js';
import { outcomeOf } from './local.js';
import { shownStatus } from './status.js';

/** The sender favourites a status that is known here. Source: ActivityPub §7.10; Misskey's EmojiReact counts as one. */
export const like: ActivityHandler = {
  isRemembered: true,
  async take({ allowed, sender }, services) {
    const status = await shownStatus(allowed.objectId, sender, services);
    if (status === undefined) return 'ignored';
    const mark = { statusId: status.id, by: sender.id };
    return outcomeOf(await services.askConversation(status.conversationId, 'favourite', mark));
  },
};
