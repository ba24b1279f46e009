/**
 * A repeated signal within this time asks for the same drain: Ctrl-C reaches the whole process group, and npm forwards
 * it to the node as well. A person who presses Ctrl-C again because the drain takes too long does so later.
 */
export const SAME_REQUEST_MS = 2_000;

/** Tells the signals of one request to drain from a later request to end at once. */
export class DrainSignals {
  #firstMs: number | undefined;

  constructor(private readonly monotonicMs: () => number) {}

  /** Returns what the process does about a signal that arrives now. */
  received(): 'drain' | 'ignore' | 'end' {
    const nowMs = this.monotonicMs();
    if (this.#firstMs === undefined) {
      this.#firstMs = nowMs;
      return 'drain';
    }
    return nowMs - this.#firstMs < SAME_REQUEST_MS ? 'ignore' : 'end';
  }
}
