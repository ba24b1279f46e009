import type { Problem, ProblemCode } from '../../actors/domain/problem.js';
import type { Answer } from './route.js';

/** HTTP status of each refusal. No other place assigns one. */
export const HTTP_STATUS: Record<ProblemCode, number> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  unconfirmed: 403,
  not_found: 404,
  gone: 410,
  conflict: 409,
  invalid: 422,
  too_large: 413,
  unsupported_type: 415,
  limit_reached: 422,
  rate_limited: 429,
  unavailable: 503,
};

/** Half of all takeovers finish within this time, so clients that obey mostly return to a settled cluster. */
export const RETRY_AFTER_SECONDS = 5;

/** Returns a refusal as clients get it: `{"error", "details"?}`. */
export function problemAnswer(refused: Problem): Answer {
  const body =
    refused.fields === undefined ? { error: refused.detail } : { error: refused.detail, details: refused.fields };
  const status = HTTP_STATUS[refused.problem];
  if (status === 503) return { status, headers: { 'retry-after': String(RETRY_AFTER_SECONDS) }, body };
  if (status === 401) return { status, headers: { 'www-authenticate': 'Bearer realm="Murmuration"' }, body };
  return { status, body };
}
