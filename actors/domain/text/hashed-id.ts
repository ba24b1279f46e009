import { createHash } from 'node:crypto';
import { storedId } from '../ids.js';

/** Returns an id within 18 digits (59 bits) from a text alone, so that every node finds the same actor. */
export function hashedId(text: string): string {
  const bits = createHash('sha256').update(text).digest().readBigUInt64BE() >> 5n;
  return storedId(bits.toString());
}
