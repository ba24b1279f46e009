/**
 * Time in milliseconds within which a repeated signal belongs to the same request: Ctrl-C reaches the whole process
 * group, and npm forwards it to the node as well. A person who presses Ctrl-C again because the drain takes too long
 * does so later.
 */
export const SAME_REQUEST_MS = 2_000;

/** Distinguishes the signals of one drain request from a later request to end at once. */
export class DrainSignals {
  #firstMs: number | undefined;

  constructor(private readonly monotonicMs: () => number) {}

  /** Returns the action for a signal that arrives now. */
  received(): 'drain' | 'ignore' | 'end' {
    const nowMs = this.monotonicMs();
    if (this.#firstMs === undefined) {
      this.#firstMs = nowMs;
      return 'drain';
    }
    return nowMs - this.#firstMs < SAME_REQUEST_MS ? 'ignore' : 'end';
  }
}
