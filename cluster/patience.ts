import { Unavailable } from '../actors/domain/problem.js';
import type { Clock } from '../actors/domain/time.js';

/** Resolves after that long. */
export function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
}

/**
 * The operation's outcome, if it comes in time. What was begun goes on all the same: a write may still happen.
 * @throws Unavailable when it did not come in time
 */
export function within<T>(clock: Clock, timeoutMs: number, what: string, operation: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(timeoutMs, () => reject(new Unavailable(`${what} took longer than ${timeoutMs} ms`)));
    operation.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** A store gives up its own tries before that; of one that does not nothing more is expected. */
const UNDER_WAY_MS_MAX = 30_000;

/** What was read: no older than `asOfMs` (monotonic). */
interface ReadAsOf<T> {
  readonly value: T;
  readonly asOfMs: number;
}

interface UnderWay<T> {
  readonly answer: Promise<ReadAsOf<T>>;
  readonly begunMs: number;
}

/**
 * A read of which one is under way at a time. Whoever asks again after losing patience waits for the one that was begun:
 * reads of a row whose changes are voted on hold one another up, and a store that is slow would get ever more of them.
 */
export class OneRead<T> {
  #underWay: UnderWay<T> | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly what: string,
    private readonly read: () => Promise<T>,
  ) {}

  /** @throws Unavailable when it did not come in time */
  ask(timeoutMs: number): Promise<ReadAsOf<T>> {
    const nowMs = this.clock.monotonicMs();
    const found = this.#underWay;
    const begun = found === undefined || nowMs - found.begunMs > UNDER_WAY_MS_MAX ? this.#begin(nowMs) : found;
    return within(this.clock, timeoutMs, this.what, begun.answer);
  }

  /** The same, of a read that begins after the call. */
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
