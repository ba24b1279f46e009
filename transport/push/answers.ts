import type { PushOutcome } from '../push-sender.js';
import type { PostAnswer, PostFailure } from '../web/guarded-client.js';
import { retryAfterMs } from '../web/retry-after.js';

/** Returns the meaning of a push service's answer (RFC 8030 §5, §7.3, §8.4; RFC 6585 §4). */
export function outcomeOf(answer: PostAnswer | PostFailure, nowMs: number): PushOutcome {
  if (typeof answer === 'string') return { kind: 'later', reason: answer };
  const { status, retryAfter } = answer;
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status === 404 || status === 410) return { kind: 'gone' };
  if (status === 413) return { kind: 'too-large' };
  // 408 (Request Timeout) and 425 (Too Early) are temporary, as Mastodon treats the former.
  if (status < 500 && status !== 408 && status !== 425 && status !== 429) return { kind: 'refused', status };
  const afterMs = retryAfterMs(retryAfter, nowMs);
  const reason = status === 429 || status === 503 ? 'busy' : 'failed';
  return { kind: 'later', reason, ...(afterMs === undefined ? {} : { afterMs }) };
}
