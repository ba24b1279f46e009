import { createHash } from 'node:crypto';

/** Longest address, in bytes, that is a key by itself: most are shorter, and readable keys help operators. */
const URI_KEY_BYTES_MAX = 200;

/** Returns the key of a row for an address of another server. Addresses may be longer than a key can be. */
export function uriKey(uri: string): string {
  if (Buffer.byteLength(uri) <= URI_KEY_BYTES_MAX) return uri;
  return `sha256:${createHash('sha256').update(uri).digest('base64url')}`;
}

/** Returns the names of an account of another server. Each has one claim (actors/names.ts). */
export const remoteNamesOf = (username: string, domain: string, actorUri: string): [string, string] => [
  `acct:${username.toLowerCase()}@${domain.toLowerCase()}`,
  `actor:${uriKey(actorUri)}`,
];
