import { type Commands, type Events, noPushes, pushQueue, type State } from '../push/push.js';
import { type PushContext, pushReactions } from '../reactions/push.js';
import type { ActorKind } from '../runtime/kind.js';

/**
 * The kind of actor that delivers the pushes of one subscription and has that subscription's id. It is separate from the
 * account and from other subscriptions, so that a slow push service delays nothing else.
 */
export function pushKind(around: PushContext): ActorKind<State, Commands, Events> {
  return {
    name: 'push',
    initial: noPushes,
    ...pushQueue,
    stateVersion: 1,
    leavesWhenDone: ({ pausedUntilMs }) => pausedUntilMs > 0,
    reactions: pushReactions(around),
  };
}
