import { closedBreaker } from '../../../actors/remote-host/breaker.js';
import { remoteHost, type State } from '../../../actors/remote-host/remote-host.js';
import type { AnyKind } from '../../../actors/runtime/kind.js';
import type { FederationClient } from '../../../transport/federation/port.js';
import type { Plant, Soil } from './plant.js';
import type { PlantedFault } from './planted-fault.js';

/** Pause between two attempts of the faulty client. */
const AGAIN_MS = 500;

/** Reports an activity as delivered at once, so that its row is deleted before the host has it. */
const settledBeforeDelivered = (): Plant => ({
  client: (honest: Pick<FederationClient, 'deliver'>, { world, process }: Soil): Pick<FederationClient, 'deliver'> => ({
    async deliver(inbox, body, signer) {
      const again = async (): Promise<void> => {
        const outcome = await honest.deliver(inbox, body, signer);
        if (outcome.kind === 'later') world.at(AGAIN_MS, process, () => void again());
      };
      world.at(AGAIN_MS, process, () => void again());
      return { kind: 'delivered' };
    },
  }),
});

/** Takes what a host sends for an answer, so that its breaker closes and what has failed is due again. */
const resetByInbound = (): Plant => ({
  kinds: (kinds) => kinds.map((kind) => (kind.name === 'host' ? withReset(kind) : kind)),
});

function withReset(kind: AnyKind): AnyKind {
  const returned = (state: State) => {
    state.isGone = false;
    const { openings, pausedUntilMs } = state.breaker;
    // Events have no time; each attempt so far was before the end of the pause.
    if (openings > 0) state.breaker = { ...closedBreaker, recoveredAtMs: pausedUntilMs };
  };
  const decide = { ...remoteHost.decide, returned: () => ({ events: [{ type: 'returned' as const }], reply: {} }) };
  return { ...kind, apply: { ...remoteHost.apply, returned }, decide } as unknown as AnyKind;
}

/** Faults that lose activities for other servers, or send too many. */
export const deliveryFaults = {
  'activities that are settled before the other server has them': {
    profile: 'deliveries',
    invariant: 'activitiesArrive',
    seed: 1,
    plant: settledBeforeDelivered,
  },
  'a breaker that is reset by what its host sends': {
    profile: 'deliveries',
    invariant: 'breakersHold',
    seed: 1,
    plant: resetByInbound,
  },
} as const satisfies Readonly<Record<string, PlantedFault>>;
