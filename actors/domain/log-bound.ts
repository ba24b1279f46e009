/**
 * Bounds lines of a log of which any number may say the same. Each that is written says how many were left out before it.
 */
export class LogBound {
  #spanEndsMs = Number.NEGATIVE_INFINITY;
  #written = 0;
  #leftOut = 0;

  constructor(
    private readonly linesMax: number,
    private readonly spanMs: number,
  ) {}

  /** Undefined: it is not to be written; else fields to add to it. `nowMs` is monotonic. */
  admits(nowMs: number): { readonly leftOut?: number } | undefined {
    if (nowMs >= this.#spanEndsMs) {
      this.#spanEndsMs = nowMs + this.spanMs;
      this.#written = 0;
    }
    if (this.#written >= this.linesMax) {
      this.#leftOut += 1;
      return undefined;
    }
    this.#written += 1;
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    return leftOut === 0 ? {} : { leftOut };
  }
}
