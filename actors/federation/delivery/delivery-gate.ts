/** Deliveries of one node at a time. Each holds a socket, and one core signs 1,500 a second. */
export const DELIVERIES_MAX = 128;

/**
 * Bounds the deliveries of one node. Each host has at most four in line, and places are given in the order of asking, so
 * a host with a long queue delays no other.
 */
export class DeliveryGate {
  readonly #line: (() => void)[] = [];
  #free: number;

  constructor(max = DELIVERIES_MAX) {
    this.#free = max;
  }

  /** Runs the delivery when a place is free. */
  async run<T>(delivery: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((enter) => void this.#line.push(enter));
    try {
      return await delivery();
    } finally {
      // The place goes to the next one without becoming free.
      const next = this.#line.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
