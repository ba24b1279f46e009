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

/** Faults that lose activities for other servers, or their order. */
export const deliveryFaults = {
  'activities that are settled before the other server has them': {
    profile: 'deliveries',
    invariant: 'activitiesArrive',
    seed: 1,
    plant: settledBeforeDelivered,
  },
} as const satisfies Readonly<Record<string, PlantedFault>>;
