import type { Clock } from '../../actors/domain/time.js';

/** What is found is kept so many times as long as finding it took: it takes five per cent of a core at most. */
const TIMES_KEPT = 20;
/** However long finding it took: nobody wants to see trends of an hour ago. */
const KEPT_MS_MAX = 300_000;

/** Something that everyone is answered alike, found anew when it is asked for and old. */
export class Kept<T> {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #find: () => Promise<T>;
  #last: { readonly value: T; readonly untilMs: number } | undefined;
  #finding: Promise<T> | undefined;

  constructor(clock: Pick<Clock, 'monotonicMs'>, find: () => Promise<T>) {
    this.#clock = clock;
    this.#find = find;
  }

  /** @throws what finding it throws; then it is tried anew the next time */
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
