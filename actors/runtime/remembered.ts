import type { Clock, Timer } from '../domain/time.js';

/** Requests remembered at a time, those of some seconds; what comes beyond pushes out the oldest. */
export const REMEMBERED_MAX = 4_096;

/** What was answered to requests that may come again, because their answer was late or lost. */
export class Remembered {
  private readonly answers = new Map<string, { readonly answer: Promise<unknown>; readonly timer: Timer }>();

  constructor(private readonly clock: Pick<Clock, 'after'>) {}

  /**
   * What `begin` answers, or has answered to the same request before, unless that failed.
   * @param keptMs for how long whoever asks may ask again
   */
  answer(request: string, keptMs: number, begin: () => Promise<unknown> | undefined): Promise<unknown> | undefined {
    const known = this.answers.get(request);
    if (known !== undefined) return known.answer;
    const answer = begin();
    if (answer === undefined) return undefined;
    const timer = this.clock.after(keptMs, () => this.answers.delete(request));
    this.answers.set(request, { answer, timer });
    if (this.answers.size > REMEMBERED_MAX) this.forget(this.answers.keys().next().value as string);
    answer.catch(() => this.forget(request));
    return answer;
  }

  private forget(request: string): void {
    this.answers.get(request)?.timer.cancel();
    this.answers.delete(request);
  }
}
