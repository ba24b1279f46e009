/** Time as the process sees it; handed in everywhere, so that a simulation can hold it. */
export interface Clock {
  /**
   * Wall-clock time, whole milliseconds since 1970: for ids, timestamps and what people read. Never goes back within a
   * process, even when the machine's clock is set back; may jump ahead.
   */
  nowMs(): number;
  /** The machine's wall clock as it is, which may step either way: only for comparing clocks. */
  wallMs(): number;
  /** Never steps back; only differences mean anything. Leases and deadlines use this one. */
  monotonicMs(): number;
  /** Runs `callback` once after `delayMs`. */
  after(delayMs: number, callback: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/** Randomness, handed in. Cryptographic in production. */
export interface Random {
  bytes(count: number): Uint8Array;
  /** Uniform in [0, 1). */
  fraction(): number;
}
