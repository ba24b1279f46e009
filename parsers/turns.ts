import { Unavailable } from '../actors/domain/problem.js';

/** Runs so many pieces of work at a time; so many wait; more are refused. */
export class Turns {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnceMax: number,
    private readonly waitingMax: number,
  ) {}

  /** Whether work would begin at once. */
  get free(): boolean {
    return this.running < this.atOnceMax;
  }

  /** @throws Unavailable when too much waits already */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.atOnceMax) {
      if (this.waiting.length >= this.waitingMax) throw new Unavailable('too many uploads and pages wait for a parser');
      await new Promise<void>((begin) => void this.waiting.push(begin));
    } else this.running += 1;
    try {
      return await work();
    } finally {
      // The turn goes straight to the next: nobody overtakes.
      const next = this.waiting.shift();
      if (next === undefined) this.running -= 1;
      else next();
    }
  }
}
