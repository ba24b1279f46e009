import type { OperationName, Plan } from '../plan.js';
import type { Histogram } from './histogram.js';
import type { Recorder, Tally } from './recorder.js';
import type { Finding, VerdictName } from './verdicts.js';

/** Milliseconds; percentiles to within 1.6 %, minimum and maximum exact. */
export interface Latency {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

export interface Figures {
  /** Requests sent after the warm-up: good + shed + errors. */
  readonly sent: number;
  readonly good: number;
  /** 503 with Retry-After. */
  readonly shed: number;
  readonly errors: number;
  /** Due but not sent before the end, in an open loop. */
  readonly unsent: number;
  /** Good answers per second. */
  readonly perSecond: number;
  readonly latencyMs: Latency;
  /** Errors by status, or by a word for the failure. */
  readonly errorsBy: Readonly<Record<string, number>>;
}

/** One interval of the run, for curves. */
export interface Moment {
  /** Since the start of the run. */
  readonly atMs: number;
  readonly good: number;
  readonly shed: number;
  readonly errors: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

export interface Series {
  readonly intervalMs: number;
  readonly all: readonly Moment[];
  readonly byOperation: Readonly<Partial<Record<OperationName, readonly Moment[]>>>;
}

/** Steps of a distribution: `count` values of about `ms`. */
export type Distribution = readonly { readonly ms: number; readonly count: number }[];

/** Milliseconds. */
export interface Delay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface Judged {
  /** As the user gave it. */
  readonly limit: string;
  readonly found: string;
  readonly kept: boolean;
}

/** All results of a run; `--json` writes it as JSON. */
export interface LoadResult {
  readonly version: 1;
  readonly targets: readonly string[];
  readonly startedAt: string;
  /** From the first request to the last answer. */
  readonly seconds: number;
  /** Ended by a signal before its time and count. */
  readonly interrupted: boolean;
  readonly plan: Plan;
  readonly users: number;
  readonly operations: Readonly<Partial<Record<OperationName, Figures>>>;
  readonly total: Figures;
  /** From sending a post to seeing it. */
  readonly visibleMs: {
    readonly home: Latency;
    readonly stream: Latency;
    readonly push: Latency;
    /** From sending a post to its arrival at a peer that answers at once. */
    readonly peer: Latency;
  };
  readonly verdicts: Readonly<Record<VerdictName, number>>;
  /** Some examples of each verdict. */
  readonly findings: readonly Finding[];
  readonly looked: {
    /** Number of acknowledged posts. */
    readonly posts: number;
    readonly authors: number;
    readonly homes: number;
    readonly streams: number;
    readonly streamsBroken: number;
    /** Number of users who got pushes. */
    readonly pushes: number;
    /** Number of synthetic servers. */
    readonly peers: number;
    /** Number of times that streams were cut, or broke, and were resumed. */
    readonly streamsResumed: number;
    /** Places that could not be read after the run, with reasons. */
    readonly unread: readonly string[];
  };
  readonly series: Series;
  readonly distributions: Readonly<Record<string, Distribution>>;
  /** Figures of the generator: when it is the bottleneck, the results say little about the server. */
  readonly generator: {
    readonly cpuSeconds: number;
    /** Share of the time in which its event loop was busy. */
    readonly busy: number;
    /** Delay with which it noticed events, answers as well as timers: every latency may include as much. */
    readonly loopDelayMs: Delay;
    /** Delay with which it started requests of an open loop, without the wait for answers; the latencies include it. */
    readonly lateMs?: Delay;
  };
  readonly limits: readonly Judged[];
  readonly passed: boolean;
}

export function latencyOf(histogram: Histogram): Latency {
  return {
    count: histogram.count,
    mean: round(histogram.meanMs),
    p50: round(histogram.quantileMs(0.5)),
    p90: round(histogram.quantileMs(0.9)),
    p99: round(histogram.quantileMs(0.99)),
    p999: round(histogram.quantileMs(0.999)),
    max: round(histogram.maxMs),
  };
}

export function figuresOf(tally: Tally, seconds: number): Figures {
  const { good, shed, errors, unsent, sent, labels, latency } = tally;
  const perSecond = round(seconds > 0 ? good / seconds : 0);
  const errorsBy = Object.fromEntries([...labels].sort(([, a], [, b]) => b - a));
  return { sent, good, shed, errors, unsent, perSecond, latencyMs: latencyOf(latency), errorsBy };
}

export function seriesOf(recorder: Recorder): Series {
  const byOperation: Partial<Record<OperationName, Moment[]>> = {};
  const all = recorder.intervals.map((tallies, index) => {
    const atMs = index * recorder.intervalMs;
    for (const [name, tally] of tallies) {
      byOperation[name] ??= [];
      byOperation[name].push(momentOf(atMs, tally));
    }
    return momentOf(atMs, recorder.total(tallies.values()));
  });
  return { intervalMs: recorder.intervalMs, all, byOperation };
}

function momentOf(atMs: number, { good, shed, errors, latency }: Tally): Moment {
  const at = (share: number) => round(latency.quantileMs(share));
  return { atMs, good, shed, errors, p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}

export function distributionOf(histogram: Histogram): Distribution {
  return [...histogram.steps()].map(({ ms, count }) => ({ ms: round(ms), count }));
}

/** Rounds to four digits, more than the clocks' precision. */
function round(value: number): number {
  return Number(value.toPrecision(4));
}
