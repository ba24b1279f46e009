/** The process's clock. It is injected everywhere, so that a simulation can control it. */
export interface Clock {
  /**
   * Returns the wall-clock time in whole milliseconds since 1970: for ids, timestamps and what people read. Never goes
   * back within a process, even when the machine's clock is set back; may jump ahead.
   */
  nowMs(): number;
  /** Returns the machine's unmodified wall clock, which may step either way. Use it only to compare clocks. */
  wallMs(): number;
  /** Returns a time that never steps back. Only differences are meaningful. Leases and deadlines use it. */
  monotonicMs(): number;
  /** Runs `callback` once after `delayMs`. */
  after(delayMs: number, callback: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}

/** Injected randomness. Cryptographic in production. */
export interface Random {
  bytes(count: number): Uint8Array;
  /** Returns a number uniform in [0, 1). */
  fraction(): number;
}
