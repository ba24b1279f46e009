import { following } from '../../../store/tables.js';
import type { ActivityHandler } from '../inbox/port.js';
import { answeredFollow, answeredSubscription, outcomeOf } from './local.js';
import { answeredFeature } from './permissions/feature-answer.js';
import { answeredQuote } from './permissions/quote-answer.js';

/**
 * The sender refuses or ends the follow of a local account, or the subscription to a relay, or refuses a quote or its place
 * in a collection. Source: ActivityPub §7.7, FEP-044f, FEP-7aa9.
 */
export const reject: ActivityHandler = {
  isRemembered: false,
  async take(activity, services) {
    const subscription = await answeredSubscription(activity, false, services);
    if (subscription !== undefined) return subscription;
    const quote = await answeredQuote(activity, 'rejected', services);
    if (quote !== undefined) return quote;
    const feature = await answeredFeature(activity, false, services);
    if (feature !== undefined) return feature;
    const follow = await answeredFollow(activity, services);
    if (follow === undefined) return 'ignored';
    const { sender } = activity;
    const pending = await services.askAccount(sender.id, 'rejectFollow', follow);
    if (outcomeOf(pending) === 'ignored') return 'ignored';
    const edge = await services.tables.get(following, { account: follow.follower, target: sender.id });
    if (edge === undefined || (follow.edgeId ?? edge.edgeId) !== edge.edgeId) return 'done';
    const dropped = { follower: follow.follower, edgeId: edge.edgeId };
    return outcomeOf(await services.askAccount(sender.id, 'dropFollower', dropped));
  },
};
