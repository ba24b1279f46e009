import { following } from '../../../store/tables.js';
import type { ActivityHandler } from '../inbox/port.js';
import { localFollower, outcomeOf } from './local.js';

/** The sender refuses the follow request of a local account, or ends its follow. Source: ActivityPub §7.7. */
export const reject: ActivityHandler = {
  isRemembered: false,
  async take(activity, services) {
    const follower = await localFollower(activity, services);
    if (follower === undefined) return 'ignored';
    const { sender } = activity;
    const pending = await services.askAccount(sender.id, 'rejectFollow', { follower: follower.id });
    if (outcomeOf(pending) === 'ignored') return 'ignored';
    const edge = await services.tables.get(following, { account: follower.id, target: sender.id });
    if (edge === undefined) return 'done';
    const dropped = { follower: follower.id, edgeId: edge.edgeId };
    return outcomeOf(await services.askAccount(sender.id, 'dropFollower', dropped));
  },
};
