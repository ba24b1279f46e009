import type { Msg } from 'nats';
import { Unavailable } from '../../actors/domain/problem.js';
import type { Clock, Timer } from '../../actors/domain/time.js';
import { NotDelivered } from '../bus.js';

/** Maximum delay until a timeout is noticed. */
const TICK_MS = 50;
/** The status with which NATS answers a request to a subject without a server. */
const NO_RESPONDERS = 503;
/** The header that carries the reason in the answer to a failed request, instead of a payload. */
export const FAILED_HEADER = 'Murmuration-Failed';

interface Open {
  readonly subject: string;
  readonly deadlineMs: number;
  readonly arrived: ((answer: Uint8Array) => void) | undefined;
  readonly resolve: (answer: Uint8Array) => void;
  readonly reject: (error: Unavailable) => void;
}

/**
 * Requests that wait for their answers, by the number in the reply subject. One timer serves all: nats.js creates a
 * timer, two promises and an error with a stack for each request.
 */
export class OpenRequests {
  readonly #open = new Map<string, Open>();
  #last = 0;
  #timer: Timer | undefined;

  constructor(private readonly clock: Pick<Clock, 'monotonicMs' | 'after'>) {}

  get size(): number {
    return this.#open.size;
  }

  /** Starts a request; `send` receives the number for its reply subject. */
  begin(
    subject: string,
    timeoutMs: number,
    arrived: ((answer: Uint8Array) => void) | undefined,
    send: (number: string) => void,
  ): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#last += 1;
      const number = this.#last.toString(36);
      const deadlineMs = this.clock.monotonicMs() + timeoutMs;
      this.#open.set(number, { subject, deadlineMs, arrived, resolve, reject });
      this.#timer ??= this.clock.after(TICK_MS, this.#tick);
      send(number);
    });
  }

  /** Handles an answer; ignores one whose request has ended. */
  answered(number: string, message: Msg): void {
    const request = this.#open.get(number);
    if (request === undefined) return;
    this.#open.delete(number);
    const { headers, data } = message;
    const failure = headers?.get(FAILED_HEADER);
    if (failure) request.reject(new Unavailable(`the server of ${request.subject}: ${failure}`));
    else if (headers?.code === NO_RESPONDERS) request.reject(new NotDelivered(`no node serves ${request.subject}`));
    else if (isTaken(request, data)) request.resolve(data);
  }

  /** Fails a request that could not be sent. */
  fail(number: string, error: Unavailable): void {
    this.#open.get(number)?.reject(error);
    this.#open.delete(number);
  }

  failAll(why: string): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const failed = [...this.#open.values()];
    this.#open.clear();
    for (const { reject } of failed) reject(new Unavailable(why));
  }

  readonly #tick = (): void => {
    const now = this.clock.monotonicMs();
    for (const [number, { subject, deadlineMs, reject }] of this.#open) {
      if (deadlineMs > now) continue;
      this.#open.delete(number);
      reject(new Unavailable(`no answer on ${subject}`));
    }
    this.#timer = this.#open.size > 0 ? this.clock.after(TICK_MS, this.#tick) : undefined;
  };
}

/** Passes the answer to `arrived` first; rejects the request and returns false when that cannot decode it. */
function isTaken({ subject, arrived, reject }: Open, answer: Uint8Array): boolean {
  try {
    arrived?.(answer);
    return true;
  } catch (cause) {
    reject(new Unavailable(`failed to decode the answer on ${subject}`, { cause }));
    return false;
  }
}
