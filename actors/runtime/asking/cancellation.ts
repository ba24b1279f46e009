import type { Clock } from '../../domain/time.js';

/** Thrown inside the effects of a halted activation to unwind them. The next activation repeats unfinished effects. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** Cancellation of waits: a halt wakes all waiters early. */
export class Cancellation {
  private waiting: Set<() => void> | undefined;
  private come = false;

  get halted(): boolean {
    return this.come;
  }

  halt(): void {
    this.come = true;
    for (const wake of this.waiting ?? []) wake();
    this.waiting = undefined;
  }

  /** Returns the promise's outcome, or rejects with Cancelled if the halt comes first. The outcome is ignored then. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.come) {
        promise.catch(() => undefined);
        reject(new Cancelled());
        return;
      }
      const wake = () => reject(new Cancelled());
      this.watch(wake);
      promise.then(
        (value) => {
          this.waiting?.delete(wake);
          resolve(value);
        },
        (error: Error) => {
          this.waiting?.delete(wake);
          reject(error);
        },
      );
    });
  }

  /** Yields to the event loop. @throws Cancelled after a halt */
  async giveWay(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.come) throw new Cancelled();
  }

  /**
   * Waits for the delay, in milliseconds.
   * @throws Cancelled when a halt comes first
   */
  sleep(clock: Clock, delayMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.come) {
        reject(new Cancelled());
        return;
      }
      const timer = clock.after(delayMs, () => {
        this.waiting?.delete(wake);
        resolve();
      });
      const wake = () => {
        timer.cancel();
        reject(new Cancelled());
      };
      this.watch(wake);
    });
  }

  /** Creates the set on first use: most actors never wait here. */
  private watch(wake: () => void): void {
    this.waiting ??= new Set();
    this.waiting.add(wake);
  }
}
