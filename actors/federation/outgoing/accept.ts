import { type FollowedPair, receivedFollow } from './follow.js';
import { type ReceivedRequest, receivedRequest } from './quote-request.js';

/**
 * Renders the acceptance of another server's Follow. `edgeId`: of the follow here. A server that asks again gets an Accept
 * with an id of its own. Source: ActivityPub §7.6.
 */
export const acceptActivity = (pair: FollowedPair, edgeId: string, followId: string | undefined, round: number) => ({
  id: `${pair.local}#accepts/follows/${edgeId}/${round}`,
  type: 'Accept',
  actor: pair.local,
  object: receivedFollow(pair, followId),
});

/** Renders the permission to quote a local status. `stamp`: its address. Source: FEP-044f, Accept. */
export const acceptQuoteActivity = (request: ReceivedRequest, stamp: string, round: number) => ({
  id: `${request.author}#accepts/quotes/${request.quotingId}/${round}`,
  type: 'Accept',
  actor: request.author,
  object: receivedRequest(request),
  result: stamp,
});
