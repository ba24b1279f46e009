import type { Clock } from '../../actors/domain/time.js';

/** Ratio of a value's lifetime to the time of its computation: recomputing uses at most five per cent of a core. */
const TIMES_KEPT = 20;
/** Longest lifetime of a value, however long its computation took: nobody wants trends of an hour ago. */
const KEPT_MS_MAX = 300_000;

/** A value shared by all viewers, recomputed on demand when it is stale. */
export class SharedValue<T> {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #find: () => Promise<T>;
  #last: { readonly value: T; readonly untilMs: number } | undefined;
  #finding: Promise<T> | undefined;

  constructor(clock: Pick<Clock, 'monotonicMs'>, find: () => Promise<T>) {
    this.#clock = clock;
    this.#find = find;
  }

  /** Returns the value. Rejects if the computation fails; the next call tries again. */
  get(): Promise<T> {
    const startMs = this.#clock.monotonicMs();
    if (this.#last !== undefined && startMs < this.#last.untilMs) return Promise.resolve(this.#last.value);
    this.#finding ??= this.#find()
      .then((value) => {
        const nowMs = this.#clock.monotonicMs();
        this.#last = { value, untilMs: nowMs + Math.min(KEPT_MS_MAX, TIMES_KEPT * (nowMs - startMs)) };
        return value;
      })
      .finally(() => {
        this.#finding = undefined;
      });
    return this.#finding;
  }
}
