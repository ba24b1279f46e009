/** How often it is looked how late it is. */
const TICK_MS = 10;

/**
 * Time as far as this process came to run: for promises of a second that are kept within this process, server and test
 * alike. How late a tick comes, because the machine was busy elsewhere or garbage was collected, does not count.
 */
export class OwnTime {
  #ms = 0;
  #lastMs = performance.now();
  readonly #timer = setInterval(() => this.#count(), TICK_MS);

  /** So far. Goes on. */
  get ms(): number {
    this.#count();
    return this.#ms;
  }

  /** Ends it; answers what it came to. */
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
