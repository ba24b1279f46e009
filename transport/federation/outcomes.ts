import { isProblem } from '../../actors/domain/problem.js';
import type { Answer, RequestFailure } from '../web/guarded-connections.js';
import { retryAfterMs } from '../web/retry-after.js';
import { parseObject } from './bounded-json.js';
import type { DeliveryOutcome, FetchOutcome } from './port.js';
import type { SignatureScheme } from './signed-request.js';

/** The reason why a request got no answer. `busy`: too many wait here; `no-key`: the signer's key cannot be read. */
export type SendFailure = RequestFailure | 'busy' | 'no-key';

/** Statuses below 500 that other servers send for a while only: Request Timeout, Too Early, Too Many Requests. */
const TEMPORARY = [408, 425, 429];
const isTemporary = (status: number) => status >= 500 || TEMPORARY.includes(status);
/** Also the answer of servers that cannot fetch the signer's key now. Source: Mastodon, which repeats after 401. */
const UNAUTHORIZED = 401;

/** Returns the meaning of the answer to a GET. `redirects`: there were too many. */
export function fetchOutcome(answer: Answer | SendFailure | 'redirects', url: string): FetchOutcome {
  if (answer === 'blocked' || answer === 'redirects') return { kind: 'unusable', reason: answer };
  if (typeof answer === 'string') return { kind: 'failed', reason: answer };
  const { status, body } = answer;
  if (status === 410) return { kind: 'gone' };
  if (status === 404) return { kind: 'missing' };
  if (isTemporary(status)) return { kind: 'failed', reason: `status ${status}` };
  if (status >= 400) return { kind: 'refused', status };
  if (status !== 200) return { kind: 'unusable', reason: `status ${status}` };
  if (body === undefined) return { kind: 'unusable', reason: 'media type' };
  if (body === 'too-large') return { kind: 'unusable', reason: 'size' };
  const value = parseObject(body);
  return isProblem(value) ? { kind: 'unusable', reason: value.detail } : { kind: 'object', url, value };
}

/** Returns the meaning of the answer to a POST. */
export function deliveryOutcome(
  answer: Answer | SendFailure,
  scheme: SignatureScheme | undefined,
  nowMs: number,
): DeliveryOutcome {
  if (answer === 'no-key' || answer === 'busy') return { kind: 'later', reason: 'local' };
  if (typeof answer === 'string') return { kind: 'later', reason: answer };
  const { status, headers } = answer;
  const signed = scheme === undefined ? {} : { scheme };
  if (status >= 200 && status < 300) return { kind: 'delivered', status, ...signed };
  if (status === 404 || status === 410) return { kind: 'gone', status, ...signed };
  if (!isTemporary(status) && status !== UNAUTHORIZED) return { kind: 'refused', status };
  const afterMs = retryAfterMs(headers['retry-after'], nowMs);
  const reason = status === 429 || status === 503 ? 'busy' : 'failed';
  return { kind: 'later', status, reason, ...(afterMs === undefined ? {} : { afterMs }) };
}
