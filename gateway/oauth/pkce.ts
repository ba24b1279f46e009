import { createHash } from 'node:crypto';

/** Form of verifiers in RFC 7636 §4.1; an S256 challenge always has 43 characters. */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** Returns the S256 challenge of a verifier; undefined if the verifier is malformed. */
export function challengeOf(verifier: string): string | undefined {
  return VERIFIER.test(verifier) ? createHash('sha256').update(verifier).digest('base64url') : undefined;
}

/**
 * Returns the reason for refusing a challenge; undefined if it is S256 or absent. `plain`, also as the default method,
 * is refused.
 */
export function challengeError(challenge: string, method: string): string | undefined {
  if (challenge === '') return method === '' ? undefined : 'code_challenge is missing';
  if (method !== 'S256') return 'code_challenge_method must be S256';
  return CHALLENGE.test(challenge) ? undefined : 'code_challenge is not an S256 challenge';
}
