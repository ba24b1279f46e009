import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Ask, type Client, NoAnswer } from './client.js';

/**
 * Attempts of a request that is needed before or after the run, while the server limits, sheds, fails or disconnects.
 */
const TRIES_MAX = 10;
const PAUSE_MS = 100;
/** Timeout of all preparation: a slow server creates a million follows in this time. */
const PREPARE_MS_MAX = 15 * 60_000;
/**
 * Timeout of one preparing request including the pauses that the server requests, of which the longest is this long.
 */
const WAIT_MS_MAX = 60_000;

/** How long to wait for a required answer. */
export interface Patience {
  /** Monotonic time beyond which no pause extends. */
  readonly untilMs: number;
  readonly signal: AbortSignal;
}

/**
 * Repeats a request until the answer is 200, obeying Retry-After. A request without an answer in time is not repeated.
 * @throws NoAnswer naming the last answer
 */
export async function retried(client: Client, ask: Ask, { untilMs, signal }: Patience): Promise<Answer> {
  let last = '';
  for (let tried = 0; tried < TRIES_MAX; tried++) {
    const answer = await client.ask(ask).catch(noAnswer);
    let pauseMs = PAUSE_MS;
    if (answer instanceof NoAnswer) {
      last = answer.message;
      if (last === 'timeout') break;
    } else {
      const { status, text, retryAfterMs } = answer;
      if (status === 200) return answer;
      last = `answered with ${status} ${text.slice(0, 200)}`.trim();
      if (status !== 429 && status < 500) throw new Refused(`${ask.method} ${ask.path}: ${last}`);
      pauseMs = retryAfterMs ?? PAUSE_MS;
    }
    if (signal.aborted || performance.now() + pauseMs > untilMs) break;
    await pause(pauseMs, signal);
  }
  throw new NoAnswer(`${ask.method} ${ask.path}: ${last}`);
}

/**
 * Returns the patience for each required request before a run.
 * @throws NoAnswer when the time for all of them is over, or the run was interrupted
 */
export function patienceFor(signal: AbortSignal): () => Patience {
  const endMs = performance.now() + PREPARE_MS_MAX;
  return () => {
    const nowMs = performance.now();
    if (signal.aborted) throw new NoAnswer('interrupted before the run');
    if (nowMs > endMs) throw new NoAnswer(`the preparation took longer than ${PREPARE_MS_MAX / 60_000} minutes`);
    return { untilMs: Math.min(endMs, nowMs + WAIT_MS_MAX), signal };
  };
}

/** The server refuses the request, and would refuse it again. */
export class Refused extends NoAnswer {}

/** Waits; ends early when the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // It rejects only because of the signal.
  await sleep(ms, undefined, { signal }).catch(() => {});
}

function noAnswer(error: unknown): NoAnswer {
  if (error instanceof NoAnswer) return error;
  throw error;
}
