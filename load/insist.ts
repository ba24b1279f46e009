import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Ask, type Client, NoAnswer } from './client.js';

/** A server that limits, sheds or fails is asked again so often: before and after the run answers are needed. */
const TRIES_MAX = 10;
const PAUSE_MS = 100;

/** Asks until the answer is 200, obeying Retry-After. @throws NoAnswer naming the last one */
export async function insist(client: Client, ask: Ask): Promise<Answer> {
  let last = '';
  for (let tried = 0; tried < TRIES_MAX; tried++) {
    const answer = await client.ask(ask);
    const { status, text, retryAfterMs = PAUSE_MS } = answer;
    if (status === 200) return answer;
    last = `answered with ${status} ${text.slice(0, 200)}`.trim();
    if (status !== 429 && status < 500) break;
    await sleep(retryAfterMs);
  }
  throw new NoAnswer(`${ask.method} ${ask.path}: ${last}`);
}
