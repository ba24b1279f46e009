import type { Clock, Deadlines, Expiring } from '../../../actors/domain/time.js';

/**
 * Longest wait for an answer, from the end of the request's body. Each step of a handler has a shorter deadline of its
 * own; the longest is that of a parser, which may take 60 s for a file. A request that waits longer waits for something
 * that was lost, and would be in flight for ever.
 */
export const ANSWER_MS_MAX = 120_000;

/** The wait of one request for its answer, which is given up at the deadline. */
export class AnswerWait implements Expiring {
  /** True after `end`, and after the wait was given up. */
  isOver = false;
  deadlineMs = Number.POSITIVE_INFINITY;

  /** @param arrived the end of the body, if there is one: a client may take as long as it likes to send a large file */
  constructor(
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly deadlines: Deadlines,
    private readonly giveUp: () => void,
    arrived: Promise<unknown> | undefined,
  ) {
    if (arrived === undefined) this.begin();
    else void arrived.then(() => this.begin());
  }

  expire(): void {
    this.isOver = true;
    this.giveUp();
  }

  /** Ends the wait: the answer is there. */
  end(): void {
    this.isOver = true;
    this.deadlines.forget(this);
  }

  private begin(): void {
    if (this.isOver) return;
    this.deadlineMs = this.clock.monotonicMs() + ANSWER_MS_MAX;
    this.deadlines.watch(this);
  }
}
