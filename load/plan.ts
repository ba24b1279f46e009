import { kindsOf, PEERS_MAX, type PeerCounts, type PeerKind, peerKinds } from './peers/kinds.js';

/** The operations of a load, each with a weight in the mix. */
export const operationNames = [
  'post',
  'edit',
  'home',
  'public',
  'status',
  'notifications',
  'favourite',
  'follow',
  'stream',
  'remote',
  'deletion',
] as const;
/** Operations that only peers send. */
const OF_PEERS: readonly OperationName[] = ['remote', 'deletion'];
export type OperationName = (typeof operationNames)[number];
export type Mix = Readonly<Partial<Record<OperationName, number>>>;

/** Mixes by name. `mixed` approximates users' clients: mostly reading. */
export const scenarios: Readonly<Record<string, Mix>> = {
  mixed: { home: 50, public: 8, status: 10, notifications: 12, post: 10, favourite: 7, follow: 2, stream: 1 },
  read: { home: 60, public: 10, status: 15, notifications: 15 },
  write: { post: 50, favourite: 40, follow: 10 },
  post: { post: 1 },
  home: { home: 1 },
  streams: { stream: 1 },
};

/** Maximum duration, an hour: longer runs belong to a monitoring system. */
export const SECONDS_MAX = 3_600;
/** Maximum number of requests: what one process can record, and more than it sends in an hour on one core. */
export const REQUESTS_MAX = 50_000_000;
/** Maximum number of sockets: a client machine has some 28,000 ports towards one address. */
export const IN_FLIGHT_MAX = 10_000;
/** Maximum rate, beyond that of one process; use several processes for more. */
export const RATE_MAX = 100_000;
/** Maximum number of users: their tokens and follows are held in memory, and each is verified before the run. */
export const USERS_MAX = 100_000;
/** Maximum number of follows before the run: some minutes of a slow server's time. */
export const FOLLOWS_MAX = 1_000_000;
/** Maximum number of streams: each holds a socket and a queue on the server. */
export const STREAMS_MAX = 5_000;
/** Maximum number of users with pushes: each message is decrypted here, which takes as long as a request. */
export const PUSHES_MAX = 1_000;
/** Maximum number of homes that are read to their end after the run. */
export const SAMPLE_MAX = 1_000;
/** Maximum timeout: nobody waits longer for an answer. */
export const TIMEOUT_MS_MAX = 120_000;

export interface ClosedPace {
  readonly kind: 'closed';
  /** Concurrent requests, each sent when the previous one was answered. */
  readonly inFlight: number;
  /** Time from the first to the last of them. */
  readonly rampMs: number;
}

export interface OpenPace {
  readonly kind: 'open';
  /** Requests started per second, whether answers arrive or not. */
  readonly perSecond: number;
  /** Time from a rate of zero to the full rate. */
  readonly rampMs: number;
  /** `even`: at equal intervals; `poisson`: independent of one another, as users arrive. */
  readonly arrivals: 'even' | 'poisson';
  /** Maximum number of requests in flight; further ones wait, and their latency counts from their due time. */
  readonly inFlightMax: number;
}

export interface Plan {
  readonly mix: Mix;
  readonly pace: ClosedPace | OpenPace;
  readonly durationMs: number;
  readonly requestsMax: number;
  /** Requests that start earlier are excluded from totals and limits. */
  readonly warmUpMs: number;
  readonly timeoutMs: number;
  /** Number of users who post, from the first on; undefined: all. */
  readonly authors: number | undefined;
  /** Number of authors that each user follows before the run. */
  readonly follows: number;
  /** Number of users' streams that are open during the whole run. */
  readonly streams: number;
  /** Number of users who get a push for each post of those whom they follow. */
  readonly pushes: number;
  /** Numbers of synthetic servers, by kind. */
  readonly peers: PeerCounts;
  /** Interval at which each of these streams is cut and resumes at the next server; undefined: never. */
  readonly cutMs: number | undefined;
  /** Number of homes that are checked after the run. */
  readonly sample: number;
  /** Time from sending a post to seeing it at a follower above which it is late. */
  readonly lateMs: number;
  /** Time after the run within which a post must be found, or it is lost. */
  readonly settleMs: number;
  readonly seed: number;
}

/** An impossible request, described in one line. */
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
  pushes: 0,
  peers: {},
  cutMs: undefined,
  sample: 20,
  lateMs: 5_000,
  settleMs: 10_000,
  seed: 1,
};

/** Checks a plan. @throws BadPlan naming the value that is out of bounds */
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
  within('the number of users with pushes', plan.pushes, 0, PUSHES_MAX);
  within('the number of peers', kindsOf(plan.peers).length, 0, PEERS_MAX);
  const answering = kindsOf(plan.peers).filter((kind) => kind !== 'dead').length;
  if (answering === 0 && OF_PEERS.some((name) => (plan.mix[name] ?? 0) > 0)) {
    throw new BadPlan(`${OF_PEERS.join(' and ')} need --peers that answer`);
  }
  if (plan.cutMs !== undefined) within('the interval of cuts in seconds', plan.cutMs / 1_000, 0.1, SECONDS_MAX);
  within('the sample', plan.sample, 0, SAMPLE_MAX);
  within('the limit of lateness in seconds', plan.lateMs / 1_000, 0.001, SECONDS_MAX);
  within('the time to settle in seconds', plan.settleMs / 1_000, 0, SECONDS_MAX);
  const weights = Object.values(plan.mix);
  if (!weights.every((weight) => weight >= 0 && Number.isFinite(weight))) throw new BadPlan('a weight is negative');
  if (!weights.some((weight) => weight > 0)) throw new BadPlan('the mix is empty');
  return plan;
}

/** Parses `post:10,home:90`, or a scenario's name. @throws BadPlan */
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

/** Parses `20`, or `fast:20,slow:2,busy:2,dead:1`. @throws BadPlan */
export function peersOf(text: string): PeerCounts {
  if (/^\d{1,6}$/.test(text)) return { fast: Number(text) };
  const counts: Partial<Record<PeerKind, number>> = {};
  for (const part of text.split(',')) {
    const [, name, count] = /^\s*([a-z]+):(\d{1,6})\s*$/.exec(part) ?? [];
    const kind = peerKinds.find((known) => known === name);
    if (kind === undefined) {
      throw new BadPlan(
        `--peers takes a number, or kinds with numbers (${peerKinds.join(', ')}), not "${part.trim()}"`,
      );
    }
    counts[kind] = Number(count);
  }
  return counts;
}
