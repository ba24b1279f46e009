import type { PushMessage, PushOutcome, PushSender } from '../../../transport/push-sender.js';
import type { Process, SeededRandom, World } from '../world.js';

/** Probabilities of each outcome of a request; otherwise the service accepts it. */
export interface PushFaults {
  /** The service answers with an error and does not show the message. */
  failChance: number;
  /** The service never answers and does not show the message. */
  hangChance: number;
  /** The service shows the message, and its answer is lost. */
  lostChance: number;
  /** The service accepts the message after the sender has given up. */
  lateChance: number;
}

/** Timeout of a request, as the sender of production has one. */
const TIMEOUT_MS = 10_000;
const LATE_MS: readonly [number, number] = [TIMEOUT_MS, 3 * TIMEOUT_MS];
const TRAVEL_MS: readonly [number, number] = [1, 60];
const TIMED_OUT: PushOutcome = { kind: 'later', reason: 'timeout' };

/** The push services of all subscriptions: they keep one message for each topic. */
export class SimulatedPushServices {
  /** Number of accepted messages by topic. */
  readonly shown = new Map<string, number>();
  readonly faults: PushFaults = { failChance: 0.1, hangChance: 0.1, lostChance: 0.1, lateChance: 0.1 };

  constructor(
    private readonly world: World,
    private readonly random: SeededRandom,
  ) {}

  /** Ends all faults; requests on their way are answered as they were going to be. */
  mend(): void {
    Object.assign(this.faults, { failChance: 0, hangChance: 0, lostChance: 0, lateChance: 0 });
  }

  /** Returns the sender of one node. It learns no answer after its process has ended. */
  senderOf(process: Process): PushSender {
    return { send: (message) => this.#send(process, message) };
  }

  #send(process: Process, { topic }: PushMessage): Promise<PushOutcome> {
    const { random, world } = this;
    const { failChance, hangChance, lostChance, lateChance } = this.faults;
    const travelMs = random.between(...TRAVEL_MS);
    const accept = (delayMs: number) => {
      world.at(delayMs, undefined, () => this.shown.set(topic, (this.shown.get(topic) ?? 0) + 1));
    };
    const answer = (delayMs: number, outcome: PushOutcome) =>
      new Promise<PushOutcome>((resolve) => void world.at(delayMs, process, () => resolve(outcome)));
    const dice = random.fraction();
    if (dice < failChance) return answer(2 * travelMs, { kind: 'later', reason: 'failed' });
    if (dice < failChance + hangChance) return answer(TIMEOUT_MS, TIMED_OUT);
    if (dice < failChance + hangChance + lateChance) {
      accept(random.between(...LATE_MS));
      return answer(TIMEOUT_MS, TIMED_OUT);
    }
    accept(travelMs);
    if (dice < failChance + hangChance + lateChance + lostChance) return answer(TIMEOUT_MS, TIMED_OUT);
    return answer(2 * travelMs, { kind: 'sent' });
  }
}
