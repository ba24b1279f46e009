import { createHash, timingSafeEqual } from 'node:crypto';

/** Digests within one header. Honest requests have one or two. */
const DIGESTS_MAX = 4;

const HASHES: Readonly<Record<string, 'sha256' | 'sha512'>> = { 'sha-256': 'sha256', 'sha-512': 'sha512' };

const hashed = (algorithm: 'sha256' | 'sha512', body: Uint8Array) => createHash(algorithm).update(body).digest();

/** Returns the header `Digest` (RFC 3230) of a body. */
export const digestOf = (body: Uint8Array): string => `SHA-256=${hashed('sha256', body).toString('base64')}`;

/** Returns the header `Content-Digest` (RFC 9530) of a body. */
export const contentDigestOf = (body: Uint8Array): string => `sha-256=:${hashed('sha256', body).toString('base64')}:`;

/** Returns true if a header `Digest` has a known digest, and all known ones are those of the body. */
export const isDigestOf = (header: string | undefined, body: Uint8Array): boolean =>
  areDigestsOf(header, body, /^([\w-]+)=([A-Za-z0-9+/]+={0,2})$/);

/** Returns true if a header `Content-Digest` has a known digest, and all known ones are those of the body. */
export const isContentDigestOf = (header: string | undefined, body: Uint8Array): boolean =>
  areDigestsOf(header, body, /^([\w-]+)=:([A-Za-z0-9+/]+={0,2}):$/);

function areDigestsOf(header: string | undefined, body: Uint8Array, form: RegExp): boolean {
  const members = (header ?? '').split(',', DIGESTS_MAX + 1);
  if (members.length > DIGESTS_MAX) return false;
  let known = 0;
  for (const member of members) {
    const [, name = '', text = ''] = form.exec(member.trim()) ?? [];
    const algorithm = HASHES[name.toLowerCase()];
    if (algorithm === undefined) continue;
    const [told, own] = [Buffer.from(text, 'base64'), hashed(algorithm, body)];
    if (told.length !== own.length || !timingSafeEqual(told, own)) return false;
    known += 1;
  }
  return known > 0;
}
