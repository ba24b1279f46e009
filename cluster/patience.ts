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
