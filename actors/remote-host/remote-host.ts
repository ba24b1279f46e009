import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import { hashedId } from '../domain/text/hashed-id.js';
import type { Slice } from '../runtime/slice.js';
import { LazyMap } from '../runtime/state/lazy-collections.js';
import { type Breaker, closedBreaker, isGone } from './breaker.js';

export interface Commands {
  wake: { in: P.HostWake; out: P.HostEmpty };
  report: { in: P.HostReport; out: P.HostEmpty };
  returned: { in: P.HostEmpty; out: P.HostEmpty };
  /** An operator tries all deliveries at once, drops them, or halts and resumes them. */
  steer: { in: P.HostSteer; out: P.HostEmpty };
  show: { in: P.HostEmpty; out: P.HostShown };
  /** Begins a pass after a pause. The runtime handles alarms of other subjects. */
  alarm: { in: P.StoreAlarmCall; out: P.HostEmpty };
}
export interface Events {
  woken: P.HostWoken;
  lowered: P.HostLowered;
  reported: P.HostReported;
  returned: P.HostReturned;
  steered: P.HostSteered;
}
export interface State {
  /** Name of the host, with a port that is not its scheme's; empty before the first delivery. */
  domain: string;
  /** Start times of the passes that are asked for and not reported yet: one under way, and one to begin after it. */
  readonly passes: number[];
  /** No delivery before this time waits; 0 before the first. */
  fromMs: number;
  /** Time of the next pass; 0: none is planned. */
  nextMs: number;
  breaker: Breaker;
  /** Inboxes that do not exist, and the time until which nothing is sent to them. At most RETIRED_MAX. */
  readonly retired: LazyMap<string, number>;
  /** Nothing is sent before the host sends something. */
  isGone: boolean;
  /** The newest entry whose pass is reported. */
  reportedSeq: number;
  /** An operator has halted the deliveries: they wait. */
  isHeld: boolean;
  /** The host has a row in `listed_hosts`. */
  isListed: boolean;
  /** Signature scheme that the host accepted last; empty: unknown. */
  scheme: string;
  /** Sums since the first delivery. */
  tally: P.HostTally;
}

/** Passes that wait for their turn: a second one finds everything that was stored while the first ran. */
const PASSES_MAX = 2;
/** Retired inboxes, some 100 bytes each. Personal inboxes of deleted accounts; the one retired first is tried again. */
export const RETIRED_MAX = 500;
/** Subject of the alarm at the end of a pause. */
export const NEXT_ALARM = 'next';

export const emptyTally: P.HostTally = {
  ...{ delivered: 0, busy: 0, failed: 0, unreachable: 0, timeout: 0, blocked: 0, refused: 0, gone: 0, dropped: 0 },
};

/** Returns the id of the actor of a host. `domain`: as in an address, lower case. */
export const hostId = (domain: string): string => hashedId(`host ${domain}`);

export const newHost = (): State => ({
  domain: '',
  passes: [],
  fromMs: 0,
  nextMs: 0,
  breaker: closedBreaker,
  retired: new LazyMap(),
  isGone: false,
  reportedSeq: 0,
  isHeld: false,
  isListed: false,
  scheme: '',
  tally: emptyTally,
});

const empty = codec('murmuration.host.Empty');

/**
 * Another server as a receiver of activities. Its deliveries are rows; the state says only whether and from where on
 * they are to be sent, so it stays small and changes twice for any number of deliveries.
 */
export const remoteHost: Slice<State, Commands, Events> = {
  decide: {
    wake(state, { domain, atMs }, { nowMs }) {
      const { passes, fromMs, breaker } = state;
      if (state.isGone) return { events: [], reply: {} };
      if (state.isHeld || (passes.length === 0 && breaker.pausedUntilMs > nowMs && state.nextMs > 0))
        return { events: fromMs > 0 && atMs >= fromMs ? [] : [{ type: 'lowered', fromMs: atMs }], reply: {} };
      const last = passes.at(-1) ?? 0;
      const isCovered = passes.length >= PASSES_MAX && atMs >= last;
      return { events: isCovered ? [] : [{ type: 'woken', domain, fromMs: atMs }], reply: {} };
    },
    report(state, { seq, more, breaker = closedBreaker, fromMs, nextMs, retired, tally, scheme }, { nowMs }) {
      if (seq <= state.reportedSeq) return { events: [], reply: {} };
      const gone = isGone(breaker, nowMs);
      const listed = listing(state, nextMs > 0 || gone || state.isHeld);
      const known = scheme === '' || scheme === state.scheme ? undefined : scheme;
      const facts = { seq, fromMs, nextMs, breaker, retired, gone, tally, listed, scheme: known };
      const reported = { type: 'reported' as const, ...facts };
      const again = { type: 'woken' as const, domain: state.domain, fromMs };
      return { events: more && !gone && !state.isHeld ? [reported, again] : [reported], reply: {} };
    },
    returned: ({ isGone }) => ({ events: isGone ? [{ type: 'returned' }] : [], reply: {} }),
    steer(state, { domain, act }, { nowMs }) {
      if (!isAct(act)) return problem('bad_request', 'There is no such order');
      if (act === 'retry' && state.isHeld) return problem('conflict', 'The host is paused');
      if (state.isHeld === (act === 'pause') && (act === 'pause' || act === 'resume')) return { events: [], reply: {} };
      const fromMs = state.fromMs || nowMs;
      const isHeld = act === 'pause' || (state.isHeld && act !== 'resume');
      const listed = listing(state, isHeld || state.nextMs > 0 || (state.isGone && act !== 'retry'));
      const steered = { type: 'steered' as const, domain, act, atMs: nowMs, listed };
      const begins = act === 'retry' || (act === 'resume' && !state.isGone);
      const woken = { type: 'woken' as const, domain, fromMs };
      return { events: begins && state.passes.length < PASSES_MAX ? [steered, woken] : [steered], reply: {} };
    },
    show(state) {
      const { domain, breaker, fromMs, nextMs, isGone: gone, isHeld: held, scheme, tally } = state;
      const counts = { passes: state.passes.length, retired: state.retired.size };
      return { events: [], reply: { domain, breaker, fromMs, nextMs, gone, held, scheme, tally, ...counts } };
    },
    alarm({ domain, fromMs, nextMs, isGone, isHeld }, { what, atMs }, { nowMs }) {
      // An alarm of an earlier pause is ignored.
      if (what !== NEXT_ALARM || atMs !== nextMs || isGone || isHeld) return { events: [], reply: {} };
      if (nowMs < nextMs) return problem('unavailable', 'It is not time yet');
      return { events: [{ type: 'woken', domain, fromMs }], reply: {} };
    },
  },
  apply: {
    woken(state, { domain, fromMs }) {
      state.domain = domain;
      state.passes.push(fromMs);
      state.fromMs = earlier(state.fromMs, fromMs);
      state.nextMs = 0;
    },
    lowered(state, { fromMs }) {
      state.fromMs = earlier(state.fromMs, fromMs);
    },
    reported(state, { seq, fromMs, nextMs, breaker, retired, gone, tally, listed, scheme }) {
      state.reportedSeq = seq;
      state.passes.shift();
      // A delivery that was stored meanwhile may be older than all that the pass has seen.
      state.fromMs = Math.min(fromMs, ...state.passes);
      state.nextMs = gone ? 0 : nextMs;
      state.breaker = breaker ?? closedBreaker;
      for (const { inbox, untilMs } of retired) state.retired.set(inbox, untilMs);
      for (const [inbox] of state.retired) {
        if (state.retired.size <= RETIRED_MAX) break;
        state.retired.delete(inbox);
      }
      state.isGone = gone;
      state.isListed = listed ?? state.isListed;
      state.scheme = scheme ?? state.scheme;
      if (tally !== undefined) state.tally = sumOf(state.tally, tally);
    },
    returned(state) {
      state.isGone = false;
      // One request goes first. If it fails, the host is gone again.
      state.breaker = { ...state.breaker, openings: 1, pausedUntilMs: 0 };
    },
    steered(state, { domain, act, atMs, listed }) {
      state.domain ||= domain;
      state.isListed = listed ?? state.isListed;
      if (act === 'pause') state.isHeld = true;
      if (act === 'resume') state.isHeld = false;
      if (act !== 'retry') return;
      state.isGone = false;
      state.retired.clear();
      // One request goes first. Its answer makes everything due.
      const openings = Math.max(1, state.breaker.openings);
      state.breaker = { ...state.breaker, failingSinceMs: 0, openings, pausedUntilMs: 0, recoveredAtMs: atMs };
    },
  },
  commands: {
    wake: { in: codec('murmuration.host.Wake'), out: empty, repeats: 'idempotent', local: true },
    report: { in: codec('murmuration.host.Report'), out: empty, repeats: 'idempotent', local: true },
    returned: { in: empty, out: empty, repeats: 'idempotent', local: false },
    steer: { in: codec('murmuration.host.Steer'), out: empty, repeats: 'idempotent', local: false },
    show: { in: empty, out: codec('murmuration.host.Shown'), repeats: 'query', local: false },
    alarm: { in: codec('murmuration.store.AlarmCall'), out: empty, repeats: 'idempotent', local: true },
  },
  events: {
    woken: { codec: codec('murmuration.host.Woken'), invalidates: false },
    lowered: { codec: codec('murmuration.host.Lowered'), invalidates: false },
    reported: { codec: codec('murmuration.host.Reported'), invalidates: false },
    returned: { codec: codec('murmuration.host.Returned'), invalidates: false },
    steered: { codec: codec('murmuration.host.Steered'), invalidates: false },
  },
};

/** Orders of an operator about one host. */
export const HOST_ACTS = ['retry', 'drop', 'pause', 'resume'] as const;
export type HostAct = (typeof HOST_ACTS)[number];
const isAct = (act: string): act is HostAct => (HOST_ACTS as readonly string[]).includes(act);

/** Returns whether the host's row in `listed_hosts` is to be written or deleted; undefined if it is right. */
const listing = ({ isListed }: Readonly<State>, wanted: boolean): boolean | undefined =>
  wanted === isListed ? undefined : wanted;

const sumOf = (one: P.HostTally, other: P.HostTally): P.HostTally => ({
  delivered: one.delivered + other.delivered,
  busy: one.busy + other.busy,
  failed: one.failed + other.failed,
  unreachable: one.unreachable + other.unreachable,
  timeout: one.timeout + other.timeout,
  blocked: one.blocked + other.blocked,
  refused: one.refused + other.refused,
  gone: one.gone + other.gone,
  dropped: one.dropped + other.dropped,
});

const earlier = (one: number, other: number): number => (one === 0 ? other : Math.min(one, other));
