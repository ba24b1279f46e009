/**
 * Write timestamps of one process, in whole microseconds since 1970: strictly increasing, whatever `timeMs` returns.
 */
export class WriteTimestamps {
  #lastUs = 0;

  constructor(
    /** Returns the time for a timestamp, in milliseconds. */
    private readonly timeMs: () => number,
  ) {}

  next(): number {
    this.#lastUs = Math.max(this.#lastUs + 1, Math.floor(this.timeMs() * 1_000));
    return this.#lastUs;
  }

  /** A time that no timestamp so far exceeds; 0 before the first. */
  get reachedMs(): number {
    return Math.ceil(this.#lastUs / 1_000);
  }
}
