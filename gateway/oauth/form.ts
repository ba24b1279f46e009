import { Type } from '@sinclair/typebox';
import { type Answer, refusedAnswer } from '../http/route.js';

/** Longest token, code or id that is looked up; those of this server have some 60 characters. */
const TOKEN_CHARS_MAX = 512;

/** Schema of an optional form field. */
export const field = (maxLength = TOKEN_CHARS_MAX) => Type.String({ default: '', maxLength });

/**
 * Schema of the value with which a form proves its origin (session.ts). A value of another form counts as absent, so the
 * route refuses it as forged.
 */
export const csrfField = () =>
  Type.String({ default: '', maxLength: TOKEN_CHARS_MAX, pattern: '^[\\w-]{0,64}$', lenient: true });

/** RFC 6749 §5.2. */
type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope';

/** Returns an error in the form of OAuth; never cached. */
export function oauthError(status: 400 | 401 | 403 | 429, error: OAuthErrorCode, description: string): Answer<never> {
  const challenge = error === 'invalid_client' ? { 'www-authenticate': 'Basic realm="Murmuration"' } : {};
  const body = { error, error_description: description };
  return refusedAnswer(status, body, { 'cache-control': 'no-store', ...challenge });
}
