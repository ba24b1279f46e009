/** Time as the process sees it; handed in everywhere, so that a simulation can hold it. */
export interface Clock {
  /** Wall clock, milliseconds since 1970: for what people read and for ids. May step. */
  nowMs(): number;
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
