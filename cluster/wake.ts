import type { Clock } from '../actors/domain/time.js';

/** The pause of a loop: ends after its time, or at a call. A call while the loop runs ends its next pause. */
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
