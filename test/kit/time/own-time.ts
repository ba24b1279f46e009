/** Interval of the ticks whose delay is measured. */
const TICK_MS = 10;

/**
 * Time in which this process could run: for promises of a second that server and test keep within this process. The
 * delay of a tick, because of other processes or garbage collection, does not count.
 */
export class OwnTime {
  #ms = 0;
  #lastMs = performance.now();
  readonly #timer = setInterval(() => this.#count(), TICK_MS);

  /** Milliseconds so far; continues to count. */
  get ms(): number {
    this.#count();
    return this.#ms;
  }

  /** Stops counting; returns the milliseconds. */
  stop(): number {
    clearInterval(this.#timer);
    return this.ms;
  }

  #count(): void {
    const nowMs = performance.now();
    this.#ms += Math.min(nowMs - this.#lastMs, 2 * TICK_MS);
    this.#lastMs = nowMs;
  }
}
