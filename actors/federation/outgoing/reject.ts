import { type FollowedPair, receivedFollow } from './follow.js';
import { type ReceivedRequest, receivedRequest } from './quote-request.js';

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

/** Renders the refusal of a quote of a local status. Source: FEP-044f, Reject. */
export const rejectQuoteActivity = (request: ReceivedRequest, round: number) => ({
  id: `${request.author}#rejects/quotes/${request.quotingId}/${round}`,
  type: 'Reject',
  actor: request.author,
  object: receivedRequest(request),
});
