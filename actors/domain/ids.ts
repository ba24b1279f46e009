/**
 * Identifiers: 64 bits as decimal strings of 18 digits — 48 bits of milliseconds since 1970, 10 bits of shard,
 * 6 bits of sequence. They say where a thing lives, sort by time (as strings of equal length, too), and are unique
 * because only the owner of a shard mints in it.
 */
/** Fixed for ever: ids carry the number in 10 bits. */
export const SHARDS = 1_024;
/** Ids that one shard can mint in one millisecond (6 bits); past that the minter borrows from the next one. */
export const IDS_PER_MS = 64;

/** Ids of one millisecond, of all shards. */
const MS_IDS = SHARDS * IDS_PER_MS;
const SHARD_BITS = 10n;
const SEQUENCE_WIDTH = 6;
const SEQUENCE_BITS = BigInt(SEQUENCE_WIDTH);

/** Of an id as it is stored: always as many, so that ids also sort as strings. */
export const ID_DIGITS = 18;

/** An id as it is stored and compared: clients may leave out leading zeros. */
export const storedId = (id: string): string => (id.length < ID_DIGITS ? id.padStart(ID_DIGITS, '0') : id);

export function makeId(ms: number, shard: number, sequence: number): string {
  const id = (BigInt(ms) << (SHARD_BITS + SEQUENCE_BITS)) | (BigInt(shard) << SEQUENCE_BITS) | BigInt(sequence);
  return storedId(id.toString());
}

/** True for a decimal string that fits 63 bits, canonical (what the API calls an id). */
export function isId(text: string): boolean {
  return /^[0-9]{1,18}$/.test(text);
}

/** 10^9 as so many times 2^16 and what is left: an id's upper nine digits count as often. */
const BILLION_TIMES = 15_258;
const BILLION_REST = 51_712;
const LOWER_DIGITS = 9;
const BILLION = 1e9;
const DIGIT_0 = 48;

/**
 * Milliseconds since 1970 at which the id was minted. By doubles, each exact, of the id's upper and lower digits: pages
 * ask for dozens, and BigInts take ten times as long.
 */
export function idMs(id: string): number {
  const upper = upperOf(id);
  return upper * BILLION_TIMES + Math.floor((upper * BILLION_REST + lowerOf(id)) / MS_IDS);
}

/** The shard that minted the id, and where its actor lives. By the same two numbers: only their lowest bits count. */
export function idShard(id: string): number {
  return ((Math.imul(upperOf(id), BILLION_REST) + lowerOf(id)) & (MS_IDS - 1)) >>> SEQUENCE_WIDTH;
}

/** How far the first id is above the second, negative below. A double is exact for ids minted within four years. */
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

/** Negative, zero or positive, as for `sort`: ascending by time. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * A time bucket of 2^34 ms, about 199 days: bounds the partitions of tables that grow with time.
 * Readers walk eras downwards from now to the owner's first day.
 */
export function eraOfMs(ms: number): number {
  return Math.floor(ms / 2 ** 34);
}

export function eraOfId(id: string): number {
  return eraOfMs(idMs(id));
}
