import type { Process, SeededRandom, World } from '../world.js';

/** Probabilities of each outcome of a request to an outside service; otherwise the service accepts it. */
export interface LineFaults {
  /** The service answers with an error and does not take the message. */
  failChance: number;
  /** The service never answers and does not take the message. */
  hangChance: number;
  /** The service takes the message, and its answer is lost. */
  lostChance: number;
  /** The service takes the message after the sender has given up. */
  lateChance: number;
}

/** Timeout of a request, as the senders of production have one. */
const TIMEOUT_MS = 10_000;
const LATE_MS: readonly [number, number] = [TIMEOUT_MS, 3 * TIMEOUT_MS];
const TRAVEL_MS: readonly [number, number] = [1, 60];

/** Requests to outside services that fail, hang, and answer late or never. */
export class LossyLine {
  readonly faults: LineFaults = { failChance: 0.1, hangChance: 0.1, lostChance: 0.1, lateChance: 0.1 };

  constructor(
    private readonly world: World,
    private readonly random: SeededRandom,
  ) {}

  /** Ends all faults; requests on their way are answered as they were going to be. */
  mend(): void {
    Object.assign(this.faults, { failChance: 0, hangChance: 0, lostChance: 0, lateChance: 0 });
  }

  /**
   * Sends a message from a node, which learns no answer after its process has ended.
   * @param accept takes the message at the service
   */
  send(process: Process, accept: () => void): Promise<'sent' | 'failed' | 'timeout'> {
    const { random, world } = this;
    const { failChance, hangChance, lostChance, lateChance } = this.faults;
    const travelMs = random.between(...TRAVEL_MS);
    const arrive = (delayMs: number) => void world.at(delayMs, undefined, accept);
    const answer = <O>(delayMs: number, outcome: O) =>
      new Promise<O>((resolve) => void world.at(delayMs, process, () => resolve(outcome)));
    const dice = random.fraction();
    if (dice < failChance) return answer(2 * travelMs, 'failed' as const);
    if (dice < failChance + hangChance) return answer(TIMEOUT_MS, 'timeout' as const);
    if (dice < failChance + hangChance + lateChance) {
      arrive(random.between(...LATE_MS));
      return answer(TIMEOUT_MS, 'timeout' as const);
    }
    arrive(travelMs);
    if (dice < failChance + hangChance + lateChance + lostChance) return answer(TIMEOUT_MS, 'timeout' as const);
    return answer(2 * travelMs, 'sent' as const);
  }
}
