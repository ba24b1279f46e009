import type { ActivityHandler } from '../inbox/port.js';
import { localFollower, outcomeOf } from './local.js';

/** The sender accepts the follow request of a local account. Source: ActivityPub §7.6. */
export const accept: ActivityHandler = {
  isRemembered: false,
  async take(activity, services) {
    const follower = await localFollower(activity, services);
    if (follower === undefined) return 'ignored';
    return outcomeOf(await services.askAccount(activity.sender.id, 'authorizeFollow', { follower: follower.id }));
  },
};
