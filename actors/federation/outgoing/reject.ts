import { type FollowedPair, receivedFollow } from './follow.js';

/**
 * Renders the refusal of another server's Follow, or the end of its follow. `edgeId`: of the follow here. Source:
 * ActivityPub §7.7; Mastodon sends it to followers who are removed, too.
 */
export const rejectActivity = (pair: FollowedPair, edgeId: string, followId: string | undefined) => ({
  id: `${pair.local}#rejects/follows/${edgeId}`,
  type: 'Reject',
  actor: pair.local,
  object: receivedFollow(pair, followId),
});
