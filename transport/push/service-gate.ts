import type { Clock } from '../../actors/domain/time.js';
import type { PushOutcome } from '../push-sender.js';

/** Bounds of concurrent requests to push services. */
export interface GateLimits {
  /** Requests in flight to all services. A request holds a socket and some 10 KB. */
  readonly inFlightMax: number;
  /** Those of them to services that have not answered yet: dead services cannot take the others' share. */
  readonly unprovenMax: number;
  /** Requests in flight to a service that answers: 64 with 50 ms each are 1,280 a second, more than a core encrypts. */
  readonly serviceMax: number;
  /** Requests in flight to a service that has not answered yet. */
  readonly newServiceMax: number;
  /** Messages that wait for others to the same service, in all and of one. Each takes up to 4 KB. */
  readonly waitingMax: number;
  readonly serviceWaitingMax: number;
  /** Those of a service that has not answered yet: many dead ones together leave room for others. */
  readonly newServiceWaitingMax: number;
  /** Failures in succession after which a service is not asked for a while. */
  readonly failuresMax: number;
  /** Duration of the first such pause. It doubles with each failed probe, up to the maximum. */
  readonly pauseMs: number;
  readonly pauseMsMax: number;
  /** Services that are remembered. The one unused for longest goes first. */
  readonly servicesMax: number;
}

export const GATE_LIMITS: GateLimits = {
  inFlightMax: 512,
  unprovenMax: 128,
  serviceMax: 64,
  newServiceMax: 4,
  waitingMax: 10_000,
  serviceWaitingMax: 4_000,
  newServiceWaitingMax: 500,
  failuresMax: 5,
  pauseMs: 30_000,
  pauseMsMax: 600_000,
  servicesMax: 2_000,
};

type Later = Extract<PushOutcome, { kind: 'later' }>;

/** A push service, by its origin. */
interface Service {
  inFlight: number;
  answered: boolean;
  /** Requests without an answer since the last answer. */
  failures: number;
  pauseMs: number;
  pausedUntilMs: number;
  readonly waiting: ((answer: Place | Later) => void)[];
}

/** The right to one request. */
interface Place {
  /** The service had not answered when the request began. */
  readonly isUnproven: boolean;
}

/** Delay before a message that found every place taken may return. */
const FULL_MS = 2_000;

/**
 * Admits requests to push services. A service that does not answer first gets few requests and then, after several
 * failures, one at a time with growing pauses. So it takes neither the sockets nor the time of others.
 */
export class ServiceGate {
  readonly #services = new Map<string, Service>();
  #inFlight = 0;
  #unproven = 0;
  #waiting = 0;

  constructor(
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly limits = GATE_LIMITS,
  ) {}

  /** Runs a request, now or after others to the same service; returns a refusal when it may not run soon. */
  async run(origin: string, request: () => Promise<PushOutcome>): Promise<PushOutcome> {
    const service = this.#of(origin);
    const place = await this.#enter(service);
    if ('kind' in place) return place;
    try {
      const outcome = await request();
      this.#judge(service, outcome);
      return outcome;
    } finally {
      this.#leave(service, place);
    }
  }

  /** Returns a place for a request; waits for it if all places at this service are taken. */
  #enter(service: Service): Place | Later | Promise<Place | Later> {
    const pauseMs = service.pausedUntilMs - this.clock.monotonicMs();
    if (pauseMs > 0) return unreachable(pauseMs);
    if (service.inFlight < this.#places(service)) return this.#take(service);
    const { waitingMax, serviceWaitingMax, newServiceWaitingMax } = this.limits;
    const ownMax = service.answered ? serviceWaitingMax : newServiceWaitingMax;
    if (this.#waiting >= waitingMax || service.waiting.length >= ownMax) return FULL;
    this.#waiting++;
    return new Promise((admit) => void service.waiting.push(admit));
  }

  #take(service: Service): Place | Later {
    const { inFlightMax, unprovenMax } = this.limits;
    const isUnproven = !service.answered;
    if (this.#inFlight >= inFlightMax || (isUnproven && this.#unproven >= unprovenMax)) return FULL;
    service.inFlight++;
    this.#inFlight++;
    if (isUnproven) this.#unproven++;
    return { isUnproven };
  }

  /** Gives the place back; admits those who wait, or refuses them when the service is not asked any more. */
  #leave(service: Service, { isUnproven }: Place): void {
    service.inFlight--;
    this.#inFlight--;
    if (isUnproven) this.#unproven--;
    const pauseMs = service.pausedUntilMs - this.clock.monotonicMs();
    while (service.waiting.length > 0 && (pauseMs > 0 || service.inFlight < this.#places(service))) {
      const admit = service.waiting.shift();
      this.#waiting--;
      admit?.(pauseMs > 0 ? unreachable(pauseMs) : this.#take(service));
    }
  }

  #places({ answered, failures }: Service): number {
    const { serviceMax, newServiceMax } = this.limits;
    if (failures === 0) return answered ? serviceMax : newServiceMax;
    return answered ? newServiceMax : 1;
  }

  #judge(service: Service, outcome: PushOutcome): void {
    const isSilent = outcome.kind === 'later' && /^(unreachable|timeout)$/.test(outcome.reason);
    if (!isSilent) {
      // A blocked address was not asked.
      if (outcome.kind === 'later' && outcome.reason === 'blocked') return;
      service.answered = true;
      service.failures = 0;
      service.pauseMs = 0;
      return;
    }
    service.failures++;
    const { failuresMax, pauseMs, pauseMsMax } = this.limits;
    const nowMs = this.clock.monotonicMs();
    // Requests that were in flight when the pause began fail, too, and do not lengthen it.
    if (service.failures < failuresMax || service.pausedUntilMs > nowMs) return;
    service.pauseMs = service.pauseMs === 0 ? pauseMs : Math.min(pauseMsMax, 2 * service.pauseMs);
    service.pausedUntilMs = nowMs + service.pauseMs;
    service.answered = false;
  }

  #of(origin: string): Service {
    const known = this.#services.get(origin);
    const service = known ?? { inFlight: 0, answered: false, failures: 0, pauseMs: 0, pausedUntilMs: 0, waiting: [] };
    // Moves it to the end: services are in the order of their last use.
    this.#services.delete(origin);
    this.#services.set(origin, service);
    if (this.#services.size > this.limits.servicesMax) this.#forgetIdle();
    return service;
  }

  /** Those in use are fewer than the maximum: their requests are bounded. */
  #forgetIdle(): void {
    for (const [origin, { inFlight, waiting }] of this.#services) {
      if (inFlight > 0 || waiting.length > 0) continue;
      this.#services.delete(origin);
      return;
    }
  }
}

const FULL: Later = { kind: 'later', reason: 'busy', afterMs: FULL_MS };

const unreachable = (afterMs: number): Later => ({ kind: 'later', reason: 'unreachable', afterMs });
