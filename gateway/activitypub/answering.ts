import { createHash } from 'node:crypto';
import { ACTIVITY_TYPE, document } from '../../actors/federation/documents/context.js';
import type { Answer } from '../http/route.js';

/** Seconds for which other servers may keep a public document. A change reaches them as an Update before that. */
const FRESH_SECONDS = 180;

/** Header of every answer that depends on the requested type, or on who signs the request. */
const VARY = 'Accept, Signature';

/** 132 bits of a hash: two documents have the same tag by no chance. */
const TAG_CHARS = 22;

/** Header of answers for one reader only. */
export const NO_STORE = 'private, no-store';

/** Answers with an ActivityStreams document. `isPublic`: everybody may see it. */
export const activityAnswer = (object: object, isPublic = true): Answer => ({
  status: 200,
  headers: {
    'content-type': `${ACTIVITY_TYPE}; charset=utf-8`,
    'cache-control': isPublic ? `public, max-age=${FRESH_SECONDS}` : NO_STORE,
    vary: VARY,
  },
  body: JSON.stringify(document(object)),
});

/**
 * Returns 304 without the document if the reader has it already, otherwise the answer with its ETag. Documents that no
 * cache may store are answered as they are. Source: RFC 9110 §13.1.2, weak comparison.
 */
export function unlessKnown(answer: Answer, ifNoneMatch: string | undefined): Answer {
  const { status, headers, body } = answer;
  if (status !== 200 || typeof body !== 'string' || headers?.['cache-control'] === NO_STORE) return answer;
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, TAG_CHARS)}"`;
  const tagged = { ...headers, etag: `W/${tag}` };
  const known = (ifNoneMatch ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  if (known.includes(tag)) return { status: 304, headers: tagged, body: undefined };
  return { ...answer, headers: tagged };
}
