import type { FederationClient } from '../../../transport/federation/port.js';
import type { Process, SeededRandom, World } from '../world.js';
import { LossyLine } from './lossy-line.js';

/** Another server, which takes activities. */
export class SimulatedServer {
  /** Ids of activities in the order of their first arrival. */
  readonly received = new Set<string>();
  /** Requests that nodes have sent. */
  attempts = 0;
  readonly #line: LossyLine;

  constructor(world: World, random: SeededRandom) {
    this.#line = new LossyLine(world, random);
  }

  mend(): void {
    this.#line.mend();
  }

  /** Fails all requests from now on. */
  fail(): void {
    this.#line.mend();
    this.#line.faults.failChance = 1;
  }

  /** Returns the client of one node. */
  clientOf(process: Process): Pick<FederationClient, 'deliver'> {
    return {
      deliver: async (_inbox, body) => {
        this.attempts += 1;
        const { id } = JSON.parse(Buffer.from(body).toString()) as { readonly id: string };
        const outcome = await this.#line.send(process, () => void this.received.add(id));
        return outcome === 'sent' ? { kind: 'delivered' } : { kind: 'later', reason: outcome };
      },
    };
  }
}
