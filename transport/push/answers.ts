import type { PushOutcome } from '../push-sender.js';
import type { PostAnswer, PostFailure } from '../web/guarded-client.js';

/** Longest pause that a push service may ask for: half of the usual time to live of a message. */
export const RETRY_AFTER_MS_MAX = 86_400_000;

/** Returns the meaning of a push service's answer (RFC 8030 §5, §7.3, §8.4; RFC 6585 §4). */
export function outcomeOf(answer: PostAnswer | PostFailure, nowMs: number): PushOutcome {
  if (typeof answer === 'string') return { kind: 'later', reason: answer };
  const { status, retryAfter } = answer;
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status === 404 || status === 410) return { kind: 'gone' };
  if (status === 413) return { kind: 'too-large' };
  // 408 (Request Timeout) and 425 (Too Early) are temporary, as Mastodon treats the former.
  if (status < 500 && status !== 408 && status !== 425 && status !== 429) return { kind: 'refused', status };
  const afterMs = retryAfter === undefined ? undefined : retryAfterMs(retryAfter, nowMs);
  const reason = status === 429 || status === 503 ? 'busy' : 'failed';
  return { kind: 'later', reason, ...(afterMs === undefined ? {} : { afterMs }) };
}

/** Reads seconds or an HTTP date (RFC 9110 §10.2.3); undefined for anything else. Between 0 and the maximum. */
function retryAfterMs(text: string, nowMs: number): number | undefined {
  const trimmed = text.trim();
  if (!/^\d+$|GMT$/.test(trimmed)) return undefined;
  const ms = trimmed.endsWith('GMT') ? Date.parse(trimmed) - nowMs : Number(trimmed) * 1_000;
  return Number.isNaN(ms) ? undefined : Math.min(RETRY_AFTER_MS_MAX, Math.max(0, ms));
}
