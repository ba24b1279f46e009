import type { DeliveryOutcome, FederationClient } from '../../../transport/federation/port.js';
import type { Process, SeededRandom, World } from '../world.js';
import { LossyLine } from './lossy-line.js';

/** Probability that the server asks for a pause, and its length: alarms ring in between two reads then. */
const BUSY_CHANCE = 0.15;
const PAUSE_MS: readonly [number, number] = [1_000, 4_000];
/** Time until such an answer arrives. */
const TRAVEL_MS = 20;

/** Another server, which takes activities. */
export class SimulatedServer {
  /** Ids of activities in the order of their first arrival. */
  readonly received = new Set<string>();
  /** Requests that nodes have sent. */
  attempts = 0;
  readonly #line: LossyLine;
  #busyChance = BUSY_CHANCE;

  constructor(
    private readonly world: World,
    private readonly random: SeededRandom,
  ) {
    this.#line = new LossyLine(world, random.fork());
  }

  mend(): void {
    this.#line.mend();
    this.#busyChance = 0;
  }

  /** Fails all requests from now on. */
  fail(): void {
    this.mend();
    this.#line.faults.failChance = 1;
  }

  /** Returns the client of one node. */
  clientOf(process: Process): Pick<FederationClient, 'deliver'> {
    return {
      deliver: async (_inbox, body) => {
        this.attempts += 1;
        if (this.random.chance(this.#busyChance)) return this.#busy(process);
        const { id } = JSON.parse(Buffer.from(body).toString()) as { readonly id: string };
        const outcome = await this.#line.send(process, () => void this.received.add(id));
        return outcome === 'sent' ? { kind: 'delivered' } : { kind: 'later', reason: outcome };
      },
    };
  }

  #busy(process: Process): Promise<DeliveryOutcome> {
    const afterMs = this.random.between(...PAUSE_MS);
    return new Promise((resolve) => {
      this.world.at(TRAVEL_MS, process, () => resolve({ kind: 'later', status: 429, reason: 'busy', afterMs }));
    });
  }
}
