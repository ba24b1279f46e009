/** Bounds the log lines that repeat one message. Each written line says how many were left out before it. */
export class LogBound {
  #spanEndsMs = Number.NEGATIVE_INFINITY;
  #written = 0;
  #leftOut = 0;

  constructor(
    private readonly linesMax: number,
    private readonly spanMs: number,
  ) {}

  /** Returns fields to add to the line, or undefined if the line must not be written. `nowMs` is monotonic. */
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
