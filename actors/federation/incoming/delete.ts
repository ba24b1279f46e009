import type { ActivityHandler } from '../inbox/port.js';
import { outcomeOf } from './local.js';
import { endedFeature } from './permissions/feature-answer.js';
import { revokedQuote } from './permissions/quote-answer.js';

/**
 * The sender deletes itself, a status or a collection of its own, or a stamp, which revokes a quote or a place in a collection. A second
 * deletion changes nothing. Source: ActivityPub §7.4, FEP-044f, FEP-7aa9.
 */
export const remove: ActivityHandler = {
  isRemembered: false,
  async take({ allowed, sender, senderUri }, services) {
    const uri = allowed.objectId;
    if (uri === undefined) return 'ignored';
    if (uri === senderUri) return outcomeOf(await services.askAccount(sender.id, 'vanish', {}));
    const revoked = await revokedQuote(uri, sender, services);
    if (revoked !== undefined) return revoked;
    await endedFeature(uri, sender, services);
    await services.notes.deleted(uri, sender);
    return 'done';
  },
};
