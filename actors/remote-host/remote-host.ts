import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import { hashedId } from '../domain/text/hashed-id.js';
import type { Slice } from '../runtime/slice.js';
import { type Breaker, closedBreaker, isGone } from './breaker.js';

export interface Commands {
  wake: { in: P.HostWake; out: P.HostEmpty };
  report: { in: P.HostReport; out: P.HostEmpty };
  returned: { in: P.HostEmpty; out: P.HostEmpty };
  /** Begins a pass after a pause. The runtime handles alarms of other subjects. */
  alarm: { in: P.StoreAlarmCall; out: P.HostEmpty };
}
export interface Events {
  woken: P.HostWoken;
  lowered: P.HostLowered;
  reported: P.HostReported;
  returned: P.HostReturned;
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
  readonly retired: Map<string, number>;
  /** Nothing is sent before the host sends something. */
  isGone: boolean;
  /** The newest entry whose pass is reported. */
  reportedSeq: number;
}

/** Passes that wait for their turn: a second one finds everything that was stored while the first ran. */
const PASSES_MAX = 2;
/** Retired inboxes, some 100 bytes each. Personal inboxes of deleted accounts; the one retired first is tried again. */
export const RETIRED_MAX = 500;
/** Subject of the alarm at the end of a pause. */
export const NEXT_ALARM = 'next';

/** Returns the id of the actor of a host. `domain`: as in an address, lower case. */
export const hostId = (domain: string): string => hashedId(`host ${domain}`);

export const newHost = (): State => ({
  domain: '',
  passes: [],
  fromMs: 0,
  nextMs: 0,
  breaker: closedBreaker,
  retired: new Map(),
  isGone: false,
  reportedSeq: 0,
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
      if (passes.length === 0 && breaker.pausedUntilMs > nowMs && state.nextMs > 0)
        return { events: atMs >= fromMs ? [] : [{ type: 'lowered', fromMs: atMs }], reply: {} };
      const last = passes.at(-1) ?? 0;
      const isCovered = passes.length >= PASSES_MAX && atMs >= last;
      return { events: isCovered ? [] : [{ type: 'woken', domain, fromMs: atMs }], reply: {} };
    },
    report(state, { seq, more, breaker = closedBreaker, fromMs, nextMs, retired }, { nowMs }) {
      if (seq <= state.reportedSeq) return { events: [], reply: {} };
      const gone = isGone(breaker, nowMs);
      const reported = { type: 'reported' as const, ...{ seq, fromMs, nextMs, breaker, retired, gone } };
      const again = { type: 'woken' as const, domain: state.domain, fromMs };
      return { events: more && !gone ? [reported, again] : [reported], reply: {} };
    },
    returned: ({ isGone }) => ({ events: isGone ? [{ type: 'returned' }] : [], reply: {} }),
    alarm({ domain, fromMs, nextMs, isGone }, { what, atMs }, { nowMs }) {
      // An alarm of an earlier pause is ignored.
      if (what !== NEXT_ALARM || atMs !== nextMs || isGone) return { events: [], reply: {} };
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
    reported(state, { seq, fromMs, nextMs, breaker, retired, gone }) {
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
    },
    returned(state) {
      state.isGone = false;
      // One request goes first. If it fails, the host is gone again.
      state.breaker = { ...state.breaker, openings: 1, pausedUntilMs: 0 };
    },
  },
  commands: {
    wake: { in: codec('murmuration.host.Wake'), out: empty, repeats: 'idempotent', local: true },
    report: { in: codec('murmuration.host.Report'), out: empty, repeats: 'idempotent', local: true },
    returned: { in: empty, out: empty, repeats: 'idempotent', local: false },
    alarm: { in: codec('murmuration.store.AlarmCall'), out: empty, repeats: 'idempotent', local: true },
  },
  events: {
    woken: { codec: codec('murmuration.host.Woken'), invalidates: false },
    lowered: { codec: codec('murmuration.host.Lowered'), invalidates: false },
    reported: { codec: codec('murmuration.host.Reported'), invalidates: false },
    returned: { codec: codec('murmuration.host.Returned'), invalidates: false },
  },
};

const earlier = (one: number, other: number): number => (one === 0 ? other : Math.min(one, other));
