import { Unavailable } from '../actors/domain/problem.js';

/** Runs a bounded number of tasks at a time; a bounded number waits; more are refused. */
export class Turns {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnceMax: number,
    private readonly waitingMax: number,
  ) {}

  /** True when a task would begin at once. */
  get free(): boolean {
    return this.running < this.atOnceMax;
  }

  /** Runs a task when its turn comes. @throws Unavailable when too many wait already */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.atOnceMax) {
      if (this.waiting.length >= this.waitingMax) throw new Unavailable('too many uploads and pages wait for a parser');
      await new Promise<void>((begin) => void this.waiting.push(begin));
    } else this.running += 1;
    try {
      return await work();
    } finally {
      // The turn passes directly to the next task, so that none overtakes.
      const next = this.waiting.shift();
      if (next === undefined) this.running -= 1;
      else next();
    }
  }
}
