import type { Clock } from '../../domain/time.js';

/** Thrown inside effects of a halted activation, to unwind them: the next activation repeats what is not done. */
export class Halted extends Error {
  override readonly name = 'Halted';
}

/** Ends waits early: what waits here is woken when the halt comes. */
export class Halt {
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

  /** The promise's outcome, or Halted if the halt comes first; then the promise is left to itself. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.come) {
        promise.catch(() => undefined);
        reject(new Halted());
        return;
      }
      const wake = () => reject(new Halted());
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

  /** Gives way to all that the event loop has to do. @throws Halted when the halt has come */
  async giveWay(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.come) throw new Halted();
  }

  /** @throws Halted when the halt comes before the time has passed */
  sleep(clock: Clock, delayMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.come) {
        reject(new Halted());
        return;
      }
      const timer = clock.after(delayMs, () => {
        this.waiting?.delete(wake);
        resolve();
      });
      const wake = () => {
        timer.cancel();
        reject(new Halted());
      };
      this.watch(wake);
    });
  }

  /** Most actors never wait here: the set is made for those that do. */
  private watch(wake: () => void): void {
    this.waiting ??= new Set();
    this.waiting.add(wake);
  }
}
