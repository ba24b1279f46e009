import { createHash } from 'node:crypto';

/** 59 bits of the SHA-256 of a hashtag's name: at most 18 digits. Trending links are numbered alike by their address. */
export function tagId(name: string): string {
  const bits = createHash('sha256').update(name).digest().readBigUInt64BE() >> 5n;
  return bits.toString();
}
