import type { PushSender } from '../../../transport/push-sender.js';
import type { Process, SeededRandom, World } from '../world.js';
import { LossyLine } from './lossy-line.js';

/** The push services of all subscriptions: they keep one message for each topic. */
export class SimulatedPushServices {
  /** Number of accepted messages by topic. */
  readonly shown = new Map<string, number>();
  readonly #line: LossyLine;

  constructor(world: World, random: SeededRandom) {
    this.#line = new LossyLine(world, random);
  }

  mend(): void {
    this.#line.mend();
  }

  /** Returns the sender of one node. */
  senderOf(process: Process): PushSender {
    return {
      send: async ({ topic }) => {
        const accept = () => void this.shown.set(topic, (this.shown.get(topic) ?? 0) + 1);
        const outcome = await this.#line.send(process, accept);
        return outcome === 'sent' ? { kind: 'sent' } : { kind: 'later', reason: outcome };
      },
    };
  }
}
