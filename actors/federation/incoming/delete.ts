import type { ActivityHandler } from '../inbox/port.js';
import { outcomeOf } from './local.js';

/** The sender deletes itself or a status of its own. Deleting a status twice changes nothing. Source: ActivityPub §7.4. */
export const remove: ActivityHandler = {
  isRemembered: false,
  async take({ allowed, sender, senderUri }, services) {
    const uri = allowed.objectId;
    if (uri === undefined) return 'ignored';
    if (uri === senderUri) return outcomeOf(await services.askAccount(sender.id, 'vanish', {}));
    await services.notes.deleted(uri, sender);
    return 'done';
  },
};
