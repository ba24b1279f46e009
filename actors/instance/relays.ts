import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import type { State } from './entries.js';

export interface Commands {
  /** A relay accepts the subscription of this server, or ends it. */
  answerRelay: { in: P.InstanceAnswerRelay; out: P.InstanceEmpty };
  /** A relay follows the actor of this server, as relays do that receive Announce. */
  meetRelay: { in: P.InstanceMeetRelay; out: P.InstanceEmpty };
}
export interface Events {
  relayAnswered: P.InstanceRelayAnswered;
  relayMet: P.InstanceRelayMet;
}

/** Name of the collection of relays. */
export const RELAYS = 'relays';

/** Ways to subscribe: to everything that is public, or to the relay's actor, which then gets Announce. */
export const RELAY_STYLES = ['mastodon', 'litepub'] as const;

/** Subscriptions to relays. An operator begins and ends them as entries; relays answer. */
export const relays: Slice<State, Commands, Events> = {
  decide: {
    answerRelay(state, { uri, id, accepted }, { nowMs }) {
      const entry = state.entries.get(RELAYS)?.get(id);
      if (entry?.relay === undefined || entry.key !== uri) return problem('not_found', 'Record not found');
      const next = accepted ? 'accepted' : 'rejected';
      if (entry.relay.state === next) return { events: [], reply: {} };
      return { events: [{ type: 'relayAnswered', id, state: next, atMs: nowMs }], reply: {} };
    },
    meetRelay(state, { uri, activityId }) {
      const entry = [...(state.entries.get(RELAYS)?.values() ?? [])].find(({ key }) => key === uri);
      if (entry?.relay === undefined || entry.relay.state === 'rejected')
        return problem('not_found', 'Record not found');
      return { events: [{ type: 'relayMet', id: entry.id, activityId }], reply: {} };
    },
  },
  apply: {
    relayAnswered({ entries }, { id, state, atMs }) {
      const held = entries.get(RELAYS);
      const entry = held?.get(id);
      if (entry?.relay === undefined) return;
      held?.set(id, { ...entry, updatedAtMs: atMs, relay: { ...entry.relay, state } });
    },
    relayMet() {},
  },
  commands: {
    answerRelay: {
      in: codec('murmuration.instance.AnswerRelay'),
      out: codec('murmuration.instance.Empty'),
      repeats: 'idempotent',
      local: false,
    },
    meetRelay: {
      in: codec('murmuration.instance.MeetRelay'),
      out: codec('murmuration.instance.Empty'),
      repeats: 'idempotent',
      local: false,
    },
  },
  events: {
    relayAnswered: { codec: codec('murmuration.instance.RelayAnswered'), invalidates: true },
    relayMet: { codec: codec('murmuration.instance.RelayMet'), invalidates: false },
  },
};
