import { Unavailable } from '../actors/domain/problem.js';
import type { Clock } from '../actors/domain/time.js';

/** Resolves after the delay. */
export function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
}

/**
 * Returns the operation's outcome if it arrives in time. The operation continues after a timeout: a write may still
 * happen.
 * @throws Unavailable after the timeout
 */
export function within<T>(clock: Clock, timeoutMs: number, what: string, operation: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(timeoutMs, () => reject(new Unavailable(`${what} took longer than ${timeoutMs} ms`)));
    operation.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** Age after which a read under way is abandoned: a store ends its own attempts before that. */
const UNDER_WAY_MS_MAX = 30_000;

/** The result of a read: no older than `asOfMs` (monotonic). */
interface ReadAsOf<T> {
  readonly value: T;
  readonly asOfMs: number;
}

interface UnderWay<T> {
  readonly answer: Promise<ReadAsOf<T>>;
  readonly begunMs: number;
}

/**
 * A read that runs at most once at a time. A caller that asks again after a timeout waits for the read under way: reads
 * of a row with conditional changes delay one another, and a slow store would receive ever more of them.
 */
export class OneRead<T> {
  #underWay: UnderWay<T> | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly what: string,
    private readonly read: () => Promise<T>,
  ) {}

  /** Returns the result of a read. @throws Unavailable after the timeout */
  ask(timeoutMs: number): Promise<ReadAsOf<T>> {
    const nowMs = this.clock.monotonicMs();
    const found = this.#underWay;
    const begun = found === undefined || nowMs - found.begunMs > UNDER_WAY_MS_MAX ? this.#begin(nowMs) : found;
    return within(this.clock, timeoutMs, this.what, begun.answer);
  }

  /** Returns the result of a read that begins after the call. @throws Unavailable after the timeout */
  async askAfresh(timeoutMs: number): Promise<ReadAsOf<T>> {
    const before = this.#underWay?.answer;
    if (before !== undefined) {
      const ended = before.then(
        () => undefined,
        () => undefined,
      );
      await within(this.clock, timeoutMs, this.what, ended);
    }
    return this.ask(timeoutMs);
  }

  #begin(begunMs: number): UnderWay<T> {
    const answer = this.read().then((value) => ({ value, asOfMs: begunMs }));
    const begun = { answer, begunMs };
    this.#underWay = begun;
    const end = () => {
      if (this.#underWay === begun) this.#underWay = undefined;
    };
    answer.then(end, end);
    return begun;
  }
}
