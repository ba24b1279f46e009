import type { Clock } from '../actors/domain/time.js';

/** A loop's rest: ends after its time, or when someone calls. A call while the loop is at work ends its next rest. */
export class Wake {
  private called = false;
  private resting: (() => void) | undefined;

  constructor(private readonly clock: Clock) {}

  rest(delayMs: number): Promise<void> {
    if (this.called) {
      this.called = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const end = () => {
        timer.cancel();
        this.resting = undefined;
        this.called = false;
        resolve();
      };
      const timer = this.clock.after(delayMs, end);
      this.resting = end;
    });
  }

  call(): void {
    this.called = true;
    this.resting?.();
  }
}
