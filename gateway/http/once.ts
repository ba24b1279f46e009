import { createHash } from 'node:crypto';
import { isProblem, type Problem, problem } from '../../actors/domain/problem.js';
import { JsonPieces } from '../cards/json-pieces.js';
import type { Services } from '../services.js';
import { type Answer, JsonText, type Request } from './route.js';

/** What a client needs for a UUID and more. */
const KEY_CHARS_MAX = 256;
/** An answer that is longer is not kept, and the request may be carried out again. */
const KEPT_CHARS_MAX = 65_536;
/** Looks at a request that is under way elsewhere; then the client is told to come back. */
const LOOKS_MAX = 20;
const LOOK_EVERY_MS = 100;

/**
 * Carries a request out once for its `Idempotency-Key`, whichever nodes get it: repeats are answered with the first
 * one's answer, for an hour. What was refused may be tried again.
 */
export async function once(
  request: Request<unknown, unknown, unknown>,
  route: string,
  key: string,
  work: () => Answer | Problem | Promise<Answer | Problem>,
): Promise<Answer | Problem> {
  if (key.length > KEY_CHARS_MAX)
    return problem('bad_request', `Idempotency-Key is longer than ${KEY_CHARS_MAX} characters`);
  const { services, viewer, bearer } = request;
  const name = createHash('sha256')
    .update([viewer ?? '', bearer?.clientId ?? '', route, key].join('\0'))
    .digest('base64url');
  for (let look = 0; look < LOOKS_MAX; look++) {
    const kept = await services.registry.claimAnswer(name);
    if (kept === 'claimed') return carryOut(services, name, work);
    if (kept !== 'pending') return { status: kept.status, body: new JsonText(kept.body) };
    await new Promise<void>((resolve) => void services.clock.after(LOOK_EVERY_MS, resolve));
  }
  return problem('unavailable', 'A request with the same Idempotency-Key is still under way');
}

async function carryOut(
  { registry }: Services,
  name: string,
  work: () => Answer | Problem | Promise<Answer | Problem>,
): Promise<Answer | Problem> {
  let answer: Answer | Problem | undefined;
  try {
    answer = await work();
    return answer;
  } finally {
    const body = answer === undefined || isProblem(answer) ? undefined : jsonOf(answer.body);
    const isKept = body !== undefined && body.length <= KEPT_CHARS_MAX;
    const { status } = answer !== undefined && 'status' in answer ? answer : { status: 0 };
    await registry.keepAnswer(name, isKept ? { status, body } : undefined);
  }
}

function jsonOf(body: unknown): string {
  if (body instanceof JsonPieces) return body.toString();
  if (!(body instanceof JsonText)) return JSON.stringify(body);
  return typeof body.text === 'string' ? body.text : Buffer.from(body.text).toString();
}
