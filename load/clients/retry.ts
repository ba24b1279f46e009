import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Ask, type Client, NoAnswer } from './client.js';

/** A server that limits, sheds, fails or breaks off is asked again so often: before and after the run answers are needed. */
const TRIES_MAX = 10;
const PAUSE_MS = 100;
/** A slow server makes a million follows in this time; one that takes longer is no server to be loaded. */
const PREPARE_MS_MAX = 15 * 60_000;
/** For one of them, pauses that the server asks for included: as long as such a pause is obeyed. */
const WAIT_MS_MAX = 60_000;

/** How long somebody waits for an answer that is needed. */
export interface Patience {
  /** On the monotonic clock; no pause goes beyond. */
  readonly untilMs: number;
  readonly signal: AbortSignal;
}

/**
 * Asks until the answer is 200, obeying Retry-After. What is not answered in time is not asked again.
 * @throws NoAnswer naming the last one
 */
export async function insist(client: Client, ask: Ask, { untilMs, signal }: Patience): Promise<Answer> {
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
 * Patience for each of the requests that are needed before a run.
 * @throws NoAnswer when the time for all of them is over, or the run was ended
 */
export function patienceFor(signal: AbortSignal): () => Patience {
  const endMs = performance.now() + PREPARE_MS_MAX;
  return () => {
    const nowMs = performance.now();
    if (signal.aborted) throw new NoAnswer('interrupted before the run');
    if (nowMs > endMs) throw new NoAnswer(`preparing was not over within ${PREPARE_MS_MAX / 60_000} minutes`);
    return { untilMs: Math.min(endMs, nowMs + WAIT_MS_MAX), signal };
  };
}

/** The server says that it will not, and would say so again. */
export class Refused extends NoAnswer {}

/** Ends early when the signal is given. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // It rejects with nothing but the signal.
  await sleep(ms, undefined, { signal }).catch(() => {});
}

function noAnswer(error: unknown): NoAnswer {
  if (error instanceof NoAnswer) return error;
  throw error;
}
