import { storedId } from '../domain/ids.js';

/** An id as two 32-bit words, so that typed arrays can hold millions. It compares like the id, high word first. */
export interface IdWords {
  readonly high: number;
  readonly low: number;
}

const WORD = 2 ** 32;
/** 2^32 is 4 times this, and 294,967,296 more. */
const BILLION = 1_000_000_000;
const WORD_BEYOND_BILLIONS = WORD - 4 * BILLION;
/** Up to this value (the year 2035) `high * WORD_BEYOND_BILLIONS + low` is exact in a double. */
const HIGH_EXACT_MAX = Math.floor((Number.MAX_SAFE_INTEGER - WORD) / WORD_BEYOND_BILLIONS);

/** Splits an id, a decimal string of at most 18 digits. */
export function wordsOf(id: string): IdWords {
  const value = BigInt(id);
  return { high: Number(value >> 32n), low: Number(value & 0xffffffffn) };
}

/** Returns an id of 18 digits, the form that is used everywhere else. */
export function idOf(high: number, low: number): string {
  if (high > HIGH_EXACT_MAX) return storedId(((BigInt(high) << 32n) | BigInt(low)).toString());
  const rest = high * WORD_BEYOND_BILLIONS + low;
  const billions = high * 4 + Math.floor(rest / BILLION);
  return String(billions).padStart(9, '0') + String(rest % BILLION).padStart(9, '0');
}

/** Compares two ids: negative, zero or positive. */
export function compareWords(aHigh: number, aLow: number, bHigh: number, bLow: number): number {
  return aHigh === bHigh ? aLow - bLow : aHigh - bHigh;
}

/**
 * Returns 32 well mixed bits of an id. Ids of one page differ in few bits, those of time, shard and sequence: the product
 * with one constant alone puts three times as many of them into the same places as chance. Source: MurmurHash3, its
 * finalizer.
 */
export function hashOf(high: number, low: number): number {
  let hash = low ^ Math.imul(high, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x9e3779b1);
  return Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
}

/** Packs ids, 8 bytes each, big-endian. */
export function packed(ids: readonly string[]): Uint8Array {
  const bytes = Buffer.allocUnsafe(ids.length * 8);
  for (const [index, id] of ids.entries()) bytes.writeBigUInt64BE(BigInt(id), index * 8);
  return bytes;
}

export function unpacked(bytes: Uint8Array): string[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: Math.floor(bytes.length / 8) }, (_, index) =>
    idOf(view.readUInt32BE(index * 8), view.readUInt32BE(index * 8 + 4)),
  );
}
