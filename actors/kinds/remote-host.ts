import type { DeliveryContext } from '../federation/delivery/pass.js';
import { hostReactions } from '../reactions/remote-host.js';
import { type Commands, type Events, newHost, remoteHost, type State } from '../remote-host/remote-host.js';
import type { ActorKind } from '../runtime/kind.js';

/**
 * The kind of actor that delivers activities to one host and has the id of its name (hostId). Each host has its own, so a
 * slow one delays no other.
 */
export function remoteHostKind(around: DeliveryContext): ActorKind<State, Commands, Events> {
  return {
    name: 'host',
    initial: newHost,
    ...remoteHost,
    stateVersion: 1,
    leavesWhenDone: ({ nextMs }) => nextMs > 0,
    reactions: hostReactions(around),
  };
}
