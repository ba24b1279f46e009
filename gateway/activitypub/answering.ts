import { ACTIVITY_TYPE, document } from '../../actors/federation/documents/context.js';
import type { Answer } from '../http/route.js';

/** Seconds for which other servers may keep a public document. A change reaches them as an Update before that. */
const FRESH_SECONDS = 180;

/** Header of every answer that depends on the requested type, or on who signs the request. */
const VARY = 'Accept, Signature';

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
