import type { Tables } from '../../../../store/port.js';
import { accounts } from '../../../../store/tables.js';
import type { AccountEvents, AccountState } from '../../../account/slices.js';
import { accountUri, isLocal } from '../../../domain/addresses.js';
import { type Outgoing, queueActivity } from '../../../federation/delivery/queue.js';
import { acceptActivity } from '../../../federation/outgoing/accept.js';
import { blockActivity } from '../../../federation/outgoing/block.js';
import { type FollowedPair, followActivity } from '../../../federation/outgoing/follow.js';
import { rejectActivity } from '../../../federation/outgoing/reject.js';
import { undoActivity } from '../../../federation/outgoing/undo.js';
import type { Effects, Happened, Reaction } from '../../../runtime/kind.js';

export interface FederationContext {
  readonly baseUrl: string;
  readonly tables: Pick<Tables, 'get'>;
}

type Now = Happened<AccountState>;
type Render = (pair: FollowedPair) => Outgoing['activity'];

/**
 * Tells the server of a remote account what local accounts do to it. Both sides of a relation are actors here, so the
 * actor of the remote account learns of everything that its server has to know. Events of local accounts have no effect.
 * The activity is stored before the reply; it is delivered later.
 */
export function federatedRelations(context: FederationContext): Reaction<AccountState, AccountEvents> {
  return {
    surface: 'federation',
    beforeReply: true,
    on: {
      followRequested({ follower, edgeId }, now, effects) {
        if (now.state.origin === undefined) return undefined;
        return send(context, now, effects, follower, (pair) => followActivity(pair, edgeId));
      },
      followRequestRemoved({ follower, edgeId, rejected }, now, effects) {
        if (now.state.origin === undefined || rejected) return undefined;
        return send(context, now, effects, follower, (pair) => undoActivity(followActivity(pair, edgeId)));
      },
      followerRemoved({ follower, edgeId, rejected }, now, effects) {
        if (now.state.origin === undefined || rejected) return undefined;
        return send(context, now, effects, follower, (pair) => undoActivity(followActivity(pair, edgeId)));
      },
      /** The id of the lost Follow is unknown, so its Undo embeds one with another id. Source: FEP-8fcf. */
      followDisowned({ follower }, now, effects) {
        return send(context, now, effects, follower, (pair) =>
          undoActivity(followActivity(pair, `unknown-${now.seq}`)),
        );
      },
      followAnswered({ target, edgeId, answer, activityId }, now, effects) {
        if (now.state.origin === undefined || answer === 'pending') return undefined;
        return send(context, now, effects, target, (pair) =>
          answer === 'accepted'
            ? acceptActivity(pair, edgeId, activityId, now.seq)
            : rejectActivity(pair, edgeId, activityId),
        );
      },
      followed({ target, edgeId, pending, optionsOnly, activityId }, now, effects) {
        if (now.state.origin === undefined || pending || !optionsOnly) return undefined;
        return send(context, now, effects, target, (pair) => acceptActivity(pair, edgeId, activityId, now.seq));
      },
      /** The follow of an account that is blocked now ends without a wish of its server. */
      unfollowed({ target, edgeId }, now, effects) {
        if (now.state.origin === undefined || !now.state.blockedBy.has(target)) return undefined;
        return send(context, now, effects, target, (pair) => rejectActivity(pair, edgeId, undefined));
      },
      blockReceived({ from, on, edgeId = '' }, now, effects) {
        if (now.state.origin === undefined) return undefined;
        return send(context, now, effects, from, (pair) => {
          const block = blockActivity(pair, edgeId);
          return on ? block : undoActivity(block);
        });
      },
    },
  };
}

/** Queues an activity of a local account about the remote account whose event it is. */
async function send(
  { baseUrl, tables }: FederationContext,
  now: Now,
  effects: Effects,
  localId: string,
  render: Render,
): Promise<void> {
  const actor = now.state.origin?.actor;
  const local = await tables.get(accounts, { account: localId });
  if (actor === undefined || actor.gone || local === undefined || !isLocal(local)) return;
  const uri = accountUri(baseUrl, local);
  const activity = render({ local: uri, remote: actor.uri });
  // One order for all that concerns the two, so that a Follow and its Undo arrive in this order.
  const order = `${localId} ${now.self}`;
  await queueActivity(tables, now, effects, { activity, inboxes: [actor.inbox], signer: { id: localId, uri }, order });
}
