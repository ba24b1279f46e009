/**
 * Identifiers are 64 bits, written as decimal strings of 18 digits: 48 bits of milliseconds since 1970, 10 bits of
 * shard, 6 bits of sequence. An id tells the shard of its actor, and sorts by time (as a string of equal length, too).
 * It is unique because only the owner of a shard mints ids in it.
 */
/** Number of shards. It can never change, because ids carry the shard in 10 bits. */
export const SHARDS = 1_024;
/** Ids that one shard can mint in one millisecond (6 bits). Above it the minter borrows from the next millisecond. */
export const IDS_PER_MS = 64;

/** Ids of one millisecond, of all shards. */
const MS_IDS = SHARDS * IDS_PER_MS;
const SHARD_BITS = 10n;
const SEQUENCE_WIDTH = 6;
const SEQUENCE_BITS = BigInt(SEQUENCE_WIDTH);

/** Digits of a stored id. The fixed length makes ids sort as strings. */
export const ID_DIGITS = 18;

/** The character code of 0. */
const DIGIT_0 = 48;

/** Returns the stored form of an id: clients may omit leading zeros. */
export const storedId = (id: string): string => (id.length < ID_DIGITS ? id.padStart(ID_DIGITS, '0') : id);

export function makeId(ms: number, shard: number, sequence: number): string {
  const id = (BigInt(ms) << (SHARD_BITS + SEQUENCE_BITS)) | (BigInt(shard) << SEQUENCE_BITS) | BigInt(sequence);
  return storedId(id.toString());
}

/** True for a decimal string of at most 18 digits, which fits 63 bits. A loop takes a fifth of a regular expression. */
export function isId(text: string): boolean {
  if (text.length === 0 || text.length > ID_DIGITS) return false;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - DIGIT_0;
    if (digit < 0 || digit > 9) return false;
  }
  return true;
}

/** Returns the id that an address has after `start`; undefined for any other address. */
export function idAfter(start: string, uri: string): string | undefined {
  const id = uri.slice(start.length);
  return uri.startsWith(start) && isId(id) ? id : undefined;
}

/** Factors of 10^9 = BILLION_TIMES · 2^16 + BILLION_REST, by which the upper nine digits of an id count. */
const BILLION_TIMES = 15_258;
const BILLION_REST = 51_712;
const LOWER_DIGITS = 9;
const BILLION = 1e9;

/**
 * Returns the time (ms since 1970) at which the id was minted. It uses exact doubles of the id's upper and lower
 * digits, because pages need dozens of times and BigInts take ten times as long.
 */
export function idMs(id: string): number {
  const upper = upperOf(id);
  return upper * BILLION_TIMES + Math.floor((upper * BILLION_REST + lowerOf(id)) / MS_IDS);
}

/** Returns the shard that minted the id, where its actor lives. Only the lowest bits of the two numbers matter. */
export function idShard(id: string): number {
  return ((Math.imul(upperOf(id), BILLION_REST) + lowerOf(id)) & (MS_IDS - 1)) >>> SEQUENCE_WIDTH;
}

/** Writes the id as eight bytes, big-endian, at this place; returns the place after them. */
export function writeId(bytes: Uint8Array, id: string, at: number): number {
  const [upper, lower] = [upperOf(id), lowerOf(id)];
  // The remainder of a division of doubles beyond 32 bits takes ten times as long as these products.
  const small = upper * BILLION_REST + lower;
  const carried = Math.floor(small / MS_IDS);
  const ms = upper * BILLION_TIMES + carried;
  const high = Math.floor(ms / MS_IDS);
  return writeWords(bytes, high, (ms - high * MS_IDS) * MS_IDS + (small - carried * MS_IDS), at);
}

/** Writes two words of 32 bits, big-endian; returns the place after them. */
export function writeWords(bytes: Uint8Array, upper: number, lower: number, at: number): number {
  bytes[at] = upper >>> 24;
  bytes[at + 1] = upper >>> 16;
  bytes[at + 2] = upper >>> 8;
  bytes[at + 3] = upper;
  bytes[at + 4] = lower >>> 24;
  bytes[at + 5] = lower >>> 16;
  bytes[at + 6] = lower >>> 8;
  bytes[at + 7] = lower;
  return at + 8;
}

/** Returns the first id minus the second. A double is exact for ids minted within four years; others yield a BigInt. */
export function idsApart(id: string, other: string): number | bigint {
  const upper = (upperOf(id) - upperOf(other)) * BILLION;
  const apart = upper + (lowerOf(id) - lowerOf(other));
  return Number.isSafeInteger(upper) && Number.isSafeInteger(apart) ? apart : BigInt(id) - BigInt(other);
}

const upperOf = (id: string): number => digits(id, 0, id.length - LOWER_DIGITS);
const lowerOf = (id: string): number => digits(id, Math.max(0, id.length - LOWER_DIGITS), id.length);

function digits(id: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) number = number * 10 + id.charCodeAt(at) - DIGIT_0;
  return number;
}

/** Compares two ids for `sort`, ascending by time. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns the later of two ids, or the only one. */
export function laterId(one: string, other: string | undefined): string {
  return other === undefined || compareIds(one, other) >= 0 ? one : other;
}

/**
 * Returns the era of a time: a bucket of 2^34 ms, about 199 days, which bounds the partitions of tables that grow with
 * time. Readers go from the current era down to the owner's first day.
 */
export function eraOfMs(ms: number): number {
  return Math.floor(ms / 2 ** 34);
}

export function eraOfId(id: string): number {
  return eraOfMs(idMs(id));
}
