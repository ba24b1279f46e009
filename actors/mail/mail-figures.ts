import type { MailDelay } from '../../transport/mailer.js';

/** Failures by class: delays of an attempt; `rejected` and `expired` are final. */
export type MailFailure = MailDelay | 'rejected' | 'expired';

/** Time after which a waiting mail that was not tried again counts as gone: another node sends it now. */
const FORGOTTEN_AFTER_MS = 300_000;

/** Counts of the mails of one node since its start, and the mails that wait here. */
export class MailFigures {
  sent = 0;
  readonly failed: Record<MailFailure, number> = {
    unreachable: 0,
    auth: 0,
    sender: 0,
    deferred: 0,
    busy: 0,
    rejected: 0,
    expired: 0,
  };
  /** Waiting mails, one for each actor at most: its time, and that of its next attempt. */
  readonly #waiting = new Map<string, { readonly atMs: number; readonly nextMs: number }>();

  /** Notes that a mail waits for its next attempt. */
  waits(id: string, atMs: number, nextMs: number): void {
    this.#waiting.set(id, { atMs, nextMs });
  }

  /** Notes that a mail waits no more. */
  ends(id: string): void {
    this.#waiting.delete(id);
  }

  /** Returns the number of waiting mails and the age (ms) of the oldest, 0 without any. */
  waiting(nowMs: number): { readonly count: number; readonly oldestMs: number } {
    let oldestMs = 0;
    for (const [id, { atMs, nextMs }] of this.#waiting) {
      if (nowMs > nextMs + FORGOTTEN_AFTER_MS) this.#waiting.delete(id);
      else oldestMs = Math.max(oldestMs, nowMs - atMs);
    }
    return { count: this.#waiting.size, oldestMs };
  }
}
