import { createHash } from 'node:crypto';

/**
 * Returns a numeric id: 59 bits of the SHA-256 of a hashtag's name, at most 18 digits. Trending links get ids from
 * their addresses in the same way.
 */
export function tagId(name: string): string {
  const bits = createHash('sha256').update(name).digest().readBigUInt64BE() >> 5n;
  return bits.toString();
}
