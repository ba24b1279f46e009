import { type OperationName, operationNames } from '../plan.js';
import { Histogram } from './histogram.js';

/** The outcome of one request. */
export type Outcome =
  | { readonly kind: 'good' }
  /** 503 with Retry-After: the server reports overload, at once and correctly. */
  | { readonly kind: 'shed' }
  /** `label` is a status, or a word for the failure. */
  | { readonly kind: 'error'; readonly label: string }
  /** Due, but not sent before the end because the maximum number was in flight. */
  | { readonly kind: 'unsent' };

/** Figures of one operation, or of all. Latency covers good answers, and the time waited for answers that timed out. */
export class Tally {
  readonly latency = new Histogram();
  good = 0;
  shed = 0;
  errors = 0;
  unsent = 0;
  readonly labels = new Map<string, number>();

  count(outcome: Outcome, latencyMs: number): void {
    if (outcome.kind === 'good') this.good += 1;
    else if (outcome.kind === 'shed') this.shed += 1;
    else if (outcome.kind === 'unsent') this.unsent += 1;
    else {
      this.errors += 1;
      this.labels.set(outcome.label, (this.labels.get(outcome.label) ?? 0) + 1);
    }
    const neverCame = outcome.kind === 'unsent' || (outcome.kind === 'error' && outcome.label === 'timeout');
    if (outcome.kind === 'good' || neverCame) this.latency.record(latencyMs);
  }

  add(other: Tally): void {
    this.good += other.good;
    this.shed += other.shed;
    this.errors += other.errors;
    this.unsent += other.unsent;
    for (const [label, count] of other.labels) this.labels.set(label, (this.labels.get(label) ?? 0) + count);
    this.latency.add(other.latency);
  }

  /** Number of requests that were sent. */
  get sent(): number {
    return this.good + this.shed + this.errors;
  }
}

/** Maximum number of points of a curve: a plot is not wider than this in pixels. */
const INTERVALS_MAX = 240;
const INTERVAL_MS_MIN = 250;

/** Records outcomes over time in bounded memory: one tally per operation, and one per operation and interval. */
export class Recorder {
  readonly intervalMs: number;
  readonly totals = new Map<OperationName, Tally>(operationNames.map((name) => [name, new Tally()]));
  readonly intervals: Map<OperationName, Tally>[] = [];
  /** Number of recorded outcomes, including the warm-up. */
  recorded = 0;

  /** @param startMs start of the run; all times are on the same clock */
  constructor(
    private readonly startMs: number,
    private readonly durationMs: number,
    private readonly warmUpMs: number,
  ) {
    this.intervalMs = Math.max(INTERVAL_MS_MIN, Math.ceil(durationMs / INTERVALS_MAX));
  }

  /** Records an outcome. @param dueMs scheduled start; requests due during the warm-up only appear in the curves */
  record(operation: OperationName, outcome: Outcome, dueMs: number, endedMs: number): void {
    const latencyMs = endedMs - dueMs;
    this.recorded += 1;
    if (dueMs - this.startMs >= this.warmUpMs) this.totals.get(operation)?.count(outcome, latencyMs);
    // A request that ends after the run belongs to its last moment.
    const passedMs = Math.min(Math.max(0, endedMs - this.startMs), this.durationMs - 1);
    const index = Math.floor(passedMs / this.intervalMs);
    while (this.intervals.length <= index) this.intervals.push(new Map());
    const interval = this.intervals[index] as Map<OperationName, Tally>;
    const tally = interval.get(operation) ?? new Tally();
    interval.set(operation, tally);
    tally.count(outcome, latencyMs);
  }

  /** Adds up all operations. */
  total(tallies: Iterable<Tally> = this.totals.values()): Tally {
    const all = new Tally();
    for (const tally of tallies) all.add(tally);
    return all;
  }
}
