import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { accountUri, readLocalUri } from '../../domain/addresses.js';
import { isProblem, type Problem, Unavailable } from '../../domain/problem.js';
import { INSTANCE_ID } from '../../instance/commands.js';
import { instanceActorUri } from '../documents/actor.js';
import type { IncomingActivity, IncomingServices, Outcome } from '../inbox/port.js';
import { readFollow } from '../outgoing/follow.js';
import { readRelayFollow } from '../outgoing/relay.js';
import { idOf, objectOf } from '../reading/values.js';

/** Returns the local account of an address; undefined for any other address. */
export async function localAccountAt(
  uri: string | undefined,
  services: Pick<IncomingServices, 'baseUrl' | 'localAccount'>,
): Promise<StoreAccountRecord | undefined> {
  const local = uri === undefined ? undefined : readLocalUri(services.baseUrl, uri);
  return local?.kind === 'account' ? services.localAccount(local.username) : undefined;
}

/** Converts the reply of an actor: a refusal means that the activity has no effect. @throws Unavailable */
export function outcomeOf(reply: unknown | Problem): Outcome {
  if (!isProblem(reply)) return 'done';
  if (reply.problem === 'unavailable') throw new Unavailable(reply.detail);
  return 'ignored';
}

/** The local follow that an Accept or a Reject answers. */
interface AnsweredFollow {
  /** Id of the local account. */
  readonly follower: string;
  /** Id of the follow; undefined if the answer does not name a Follow of this server by its id. */
  readonly edgeId: string | undefined;
}

/**
 * Returns the follow of the sender by a local account that an Accept or a Reject answers. The account is named by the
 * embedded Follow, or by the id of the Follow, which begins with the follower's address. The id tells an answer to a
 * follow that was withdrawn from one to the present follow. Some servers give the embedded Follow no id, or one of
 * their own: they mean the present follow.
 */
export async function answeredFollow(
  { document, allowed, senderUri }: IncomingActivity,
  services: IncomingServices,
): Promise<AnsweredFollow | undefined> {
  const follow = objectOf(document.object);
  const object = follow && idOf(follow.object);
  if (object !== undefined && object !== senderUri) return undefined;
  const id = allowed.objectId;
  const named = (follow && idOf(follow.actor)) ?? id?.match(/^[^#]*\/users\/[^/?#]+/)?.[0];
  const follower = await localAccountAt(named, services);
  if (follower === undefined) return undefined;
  const edgeId = id === undefined ? undefined : readFollow(accountUri(services.baseUrl, follower), id);
  return { follower: follower.id, edgeId };
}

/**
 * Settles the subscription to a relay that an Accept or a Reject answers by the id of its Follow. The instance's actor
 * compares the sender with the relay. Returns undefined if it answers no subscription.
 */
export async function answeredSubscription(
  { document, allowed, senderUri: uri }: IncomingActivity,
  accepted: boolean,
  { baseUrl, askInstance }: IncomingServices,
): Promise<Outcome | undefined> {
  const follow = allowed.objectId ?? idOf(document.object);
  const id = follow === undefined ? undefined : readRelayFollow(instanceActorUri(baseUrl), follow);
  if (id === undefined) return undefined;
  return outcomeOf(await askInstance(INSTANCE_ID, 'answerRelay', { uri, id, accepted }));
}
