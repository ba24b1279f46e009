/** What may be asked of the server, each with its weight in the mix. */
export const operationNames = [
  'post',
  'home',
  'public',
  'status',
  'notifications',
  'favourite',
  'follow',
  'stream',
] as const;
export type OperationName = (typeof operationNames)[number];
export type Mix = Readonly<Partial<Record<OperationName, number>>>;

/** Mixes by name. `mixed` is roughly what people's clients ask: mostly reading. */
export const scenarios: Readonly<Record<string, Mix>> = {
  mixed: { home: 50, public: 8, status: 10, notifications: 12, post: 10, favourite: 7, follow: 2, stream: 1 },
  read: { home: 60, public: 10, status: 15, notifications: 15 },
  write: { post: 50, favourite: 40, follow: 10 },
  post: { post: 1 },
  home: { home: 1 },
  streams: { stream: 1 },
};

/** An hour: a longer run belongs to a monitoring system. */
export const SECONDS_MAX = 3_600;
/** What one process can keep a record of, and more than one process sends in an hour on one core. */
export const REQUESTS_MAX = 50_000_000;
/** Sockets: a client machine has some 28,000 ports towards one address. */
export const IN_FLIGHT_MAX = 10_000;
/** Beyond what one process can send; several processes share the work. */
export const RATE_MAX = 100_000;
/** Their tokens and follows are held in memory, and each is verified before the run. */
export const USERS_MAX = 100_000;
/** Requests before the run: some minutes of a slow server's time. */
export const FOLLOWS_MAX = 1_000_000;
/** Each holds a socket and a queue on the server. */
export const STREAMS_MAX = 5_000;
/** Homes read to their end after the run. */
export const SAMPLE_MAX = 1_000;
/** A slower answer is no answer to a person. */
export const TIMEOUT_MS_MAX = 120_000;

export interface ClosedPace {
  readonly kind: 'closed';
  /** Requests under way at any time, each sent when the one before was answered. */
  readonly inFlight: number;
  /** From the first to the last of them. */
  readonly rampMs: number;
}

export interface OpenPace {
  readonly kind: 'open';
  /** Requests begun a second, whether answers come or not. */
  readonly perSecond: number;
  /** From a rate of nothing to the whole. */
  readonly rampMs: number;
  /** `even`: all the same distance apart; `poisson`: as people come, independent of one another. */
  readonly arrivals: 'even' | 'poisson';
  /** At most so many under way; what is due beyond waits, and its latency counts from when it was due. */
  readonly inFlightMax: number;
}

export interface Plan {
  readonly mix: Mix;
  readonly pace: ClosedPace | OpenPace;
  readonly durationMs: number;
  readonly requestsMax: number;
  /** Requests begun sooner are left out of totals and limits. */
  readonly warmUpMs: number;
  readonly timeoutMs: number;
  /** The first so many users post; undefined: all. */
  readonly authors: number | undefined;
  /** So many authors are followed by each user before the run. */
  readonly follows: number;
  /** Users' streams that are open during the whole run. */
  readonly streams: number;
  /** Homes that are looked through after the run. */
  readonly sample: number;
  /** From sending a post to seeing it at a follower's; later is late. */
  readonly lateMs: number;
  /** How long after the run a post may take to be found before it is lost. */
  readonly settleMs: number;
  readonly seed: number;
}

/** Something asked for that cannot be done: said in one line. */
export class BadPlan extends Error {
  override readonly name = 'BadPlan';
}

export const defaultPlan: Plan = {
  mix: scenarios.mixed as Mix,
  pace: { kind: 'closed', inFlight: 16, rampMs: 0 },
  durationMs: 30_000,
  requestsMax: REQUESTS_MAX,
  warmUpMs: 0,
  timeoutMs: 10_000,
  authors: undefined,
  follows: 10,
  streams: 5,
  sample: 20,
  lateMs: 5_000,
  settleMs: 10_000,
  seed: 1,
};

/** @throws BadPlan naming what is out of bounds */
export function checked(plan: Plan): Plan {
  const within = (name: string, value: number, min: number, max: number) => {
    if (!(value >= min && value <= max)) throw new BadPlan(`${name} is ${value}; it must be ${min} to ${max}`);
  };
  within('the duration in seconds', plan.durationMs / 1_000, 0.1, SECONDS_MAX);
  within('the number of requests', plan.requestsMax, 1, REQUESTS_MAX);
  within('the warm-up in seconds', plan.warmUpMs / 1_000, 0, plan.durationMs / 1_000);
  within('the ramp in seconds', plan.pace.rampMs / 1_000, 0, plan.durationMs / 1_000);
  within('the timeout in seconds', plan.timeoutMs / 1_000, 0.01, TIMEOUT_MS_MAX / 1_000);
  if (plan.pace.kind === 'closed') within('the number in flight', plan.pace.inFlight, 1, IN_FLIGHT_MAX);
  else {
    within('the rate', plan.pace.perSecond, 0.01, RATE_MAX);
    within('the number in flight', plan.pace.inFlightMax, 1, IN_FLIGHT_MAX);
  }
  if (plan.authors !== undefined) within('the number of authors', plan.authors, 1, USERS_MAX);
  within('the number of follows', plan.follows, 0, USERS_MAX);
  within('the number of streams', plan.streams, 0, STREAMS_MAX);
  within('the sample', plan.sample, 0, SAMPLE_MAX);
  within('the limit of lateness in seconds', plan.lateMs / 1_000, 0.001, SECONDS_MAX);
  within('the time to settle in seconds', plan.settleMs / 1_000, 0, SECONDS_MAX);
  const weights = Object.values(plan.mix);
  if (!weights.every((weight) => weight >= 0 && Number.isFinite(weight))) throw new BadPlan('a weight is negative');
  if (!weights.some((weight) => weight > 0)) throw new BadPlan('the mix is empty');
  return plan;
}

/** `post:10,home:90`, or a scenario's name. @throws BadPlan */
export function mixOf(text: string): Mix {
  const named = scenarios[text];
  if (named !== undefined) return named;
  const mix: Partial<Record<OperationName, number>> = {};
  for (const part of text.split(',')) {
    const [, name, weight] = /^\s*([a-z]+)\s*(?:[:=]\s*(\d+(?:\.\d+)?))?\s*$/.exec(part) ?? [];
    const operation = operationNames.find((known) => known === name);
    if (operation === undefined) {
      const known = `${operationNames.join(', ')}; scenarios: ${Object.keys(scenarios).join(', ')}`;
      throw new BadPlan(`the mix has "${part.trim()}"; operations: ${known}`);
    }
    mix[operation] = Number(weight ?? 1);
  }
  return mix;
}
