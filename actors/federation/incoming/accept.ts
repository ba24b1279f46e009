import type { ActivityHandler } from '../inbox/port.js';
import { answeredFollow, answeredSubscription, outcomeOf } from './local.js';
import { answeredFeature } from './permissions/feature-answer.js';
import { answeredQuote } from './permissions/quote-answer.js';

/**
 * The sender accepts the follow request of a local account, the subscription to a relay, a quote, or its place in a
 * collection. Source: ActivityPub §7.6, FEP-044f, FEP-7aa9.
 */
export const accept: ActivityHandler = {
  isRemembered: false,
  async take(activity, services) {
    const subscription = await answeredSubscription(activity, true, services);
    if (subscription !== undefined) return subscription;
    const quote = await answeredQuote(activity, 'accepted', services);
    if (quote !== undefined) return quote;
    const feature = await answeredFeature(activity, true, services);
    if (feature !== undefined) return feature;
    const follow = await answeredFollow(activity, services);
    if (follow === undefined) return 'ignored';
    return outcomeOf(await services.askAccount(activity.sender.id, 'authorizeFollow', follow));
  },
};
