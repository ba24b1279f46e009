import type { PushSender } from '../../../transport/push-sender.js';
import type { Plant, Soil } from './plant.js';
import type { PlantedFault } from './planted-fault.js';

/** Pause between two attempts of the faulty sender. */
const AGAIN_MS = 500;

/** Reports a push as sent at once, so that it is settled before the push service has it, and sends it from memory. */
const settledBeforeSent = (): Plant => ({
  sender: (honest: PushSender, { world, process }: Soil): PushSender => ({
    async send(message) {
      const again = async (): Promise<void> => {
        const outcome = await honest.send(message);
        if (outcome.kind === 'later') world.at(AGAIN_MS, process, () => void again());
      };
      world.at(AGAIN_MS, process, () => void again());
      return { kind: 'sent' };
    },
  }),
});

/** Faults that lose pushes. */
export const pushFaults = {
  'pushes that are settled before the push service has them': {
    profile: 'pushes',
    invariant: 'pushesArrive',
    seed: 1,
    plant: settledBeforeSent,
  },
} as const satisfies Readonly<Record<string, PlantedFault>>;
