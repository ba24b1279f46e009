import type { Clock, Timer } from '../../actors/domain/time.js';
import type { RuntimeMetrics } from '../../actors/runtime/metrics.js';
import type { NodeLoadSample } from '../../proto/gen/types.js';

/** Interval of samples: operators see a change of the load within some seconds. */
const SAMPLE_MS = 5_000;
/** Samples in memory: the last ten minutes. */
const SAMPLES_MAX = 120;

/** The load of a node in the last ten minutes, in memory only. */
export class LoadSamples {
  /** Oldest first. */
  readonly #samples: NodeLoadSample[] = [];
  readonly #clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly #metrics: Pick<RuntimeMetrics, 'asks' | 'activations' | 'unsettled'>;
  #timer: Timer | undefined;
  #asks = 0;
  #dueMs = 0;

  constructor(
    clock: Pick<Clock, 'monotonicMs' | 'after'>,
    metrics: Pick<RuntimeMetrics, 'asks' | 'activations' | 'unsettled'>,
  ) {
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /** Begins to take samples. A node that does not start must have no timer: it would not end. */
  start(): void {
    this.#asks = this.#metrics.asks;
    this.#next(this.#clock.monotonicMs());
  }

  /** Returns the samples, oldest first. */
  all(): readonly NodeLoadSample[] {
    return this.#samples;
  }

  close(): void {
    this.#timer?.cancel();
  }

  #take(): void {
    const { asks, activations, unsettled } = this.#metrics;
    const nowMs = this.#clock.monotonicMs();
    const lateMs = Math.max(0, Math.round(nowMs - this.#dueMs));
    const perSecond = ((asks - this.#asks) * 1_000) / (SAMPLE_MS + lateMs);
    this.#samples.push({ commands: Math.round(perSecond), activations, unsettled, lateMs });
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
    this.#asks = asks;
    this.#next(nowMs);
  }

  #next(nowMs: number): void {
    this.#dueMs = nowMs + SAMPLE_MS;
    this.#timer = this.#clock.after(SAMPLE_MS, () => this.#take());
  }
}
