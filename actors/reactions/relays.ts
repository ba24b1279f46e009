import type { Tables } from '../../store/port.js';
import { INSTANCE_KEY } from '../federation/account-keys.js';
import { type Outgoing, queueActivity } from '../federation/delivery/queue.js';
import { instanceActorUri } from '../federation/documents/actor.js';
import { acceptActivity } from '../federation/outgoing/accept.js';
import { relayFollowActivity } from '../federation/outgoing/relay.js';
import { undoActivity } from '../federation/outgoing/undo.js';
import type { InstanceEvents, InstanceState } from '../instance/commands.js';
import { RELAYS } from '../instance/relays.js';
import type { Effects, Happened, Reaction } from '../runtime/kind.js';

export interface RelayContext {
  readonly baseUrl: string;
  readonly tables: Pick<Tables, 'get'>;
}

/** Subscribes to the relays that an operator adds, ends the subscription of removed ones, and lets relays follow. */
export function relaySubscriptions({ baseUrl, tables }: RelayContext): Reaction<InstanceState, InstanceEvents> {
  const actor = instanceActorUri(baseUrl);
  const send = (
    now: Happened<InstanceState>,
    effects: Effects,
    inbox: string,
    id: string,
    activity: Outgoing['activity'],
  ) => {
    const signer = { id: INSTANCE_KEY, uri: actor };
    // One order for all that concerns a relay, so that its Follow and the Undo arrive in this order.
    return queueActivity(tables, now, effects, { activity, inboxes: [inbox], signer, order: `relay ${id}` });
  };
  return {
    surface: 'federation',
    beforeReply: false,
    on: {
      entryPut({ entry }, now, effects) {
        if (entry?.relay === undefined) return undefined;
        const { id, key: relay } = entry;
        const { inbox, style } = entry.relay;
        return send(now, effects, inbox, id, relayFollowActivity({ actor, id, relay, style }));
      },
      entryRemoved({ id, key, relay }, now, effects) {
        if (relay === undefined) return undefined;
        const { inbox, style } = relay;
        return send(now, effects, inbox, id, undoActivity(relayFollowActivity({ actor, id, relay: key, style })));
      },
      relayMet({ id, activityId }, now, effects) {
        const entry = now.state.entries.get(RELAYS)?.get(id);
        if (entry?.relay === undefined) return undefined;
        const accepted = acceptActivity({ local: actor, remote: entry.key }, id, activityId, now.seq);
        return send(now, effects, entry.relay.inbox, id, accepted);
      },
    },
  };
}
