import type { JsonObject } from '../../../transport/federation/bounded-json.js';
import type { Visibility } from '../../domain/visibility.js';
import { PUBLIC } from '../documents/context.js';
import { canonicalUri } from './uris.js';

// Readers of values that other servers wrote. Every property may have any type; excess is cut, never refused.

export type { JsonObject };

/** Addressees of one object that are read. More would only cost look-ups. */
const ADDRESSEES_MAX = 500;
/** Types of one object that are read. */
const TYPES_MAX = 10;
/** Year after which a time is taken for a mistake; JavaScript's own limit lies far behind it. */
const YEAR_MAX = 9_999;
/** Spellings of the public collection. Source: ActivityPub §5.6. */
const PUBLIC_NAMES: ReadonlySet<unknown> = new Set([PUBLIC, 'as:Public', 'Public']);

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a property's values: ActivityStreams writes one value with or without a list around it. */
export function asList(value: unknown, max = ADDRESSEES_MAX): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.slice(0, max) : [value];
}

/** Returns the address that a value is or that an embedded object has, in its canonical spelling. */
export function idOf(value: unknown): string | undefined {
  const one = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const id = isObject(one) ? one.id : one;
  return typeof id === 'string' ? canonicalUri(id) : undefined;
}

/** Returns the addresses of a property's values, each once; values without one are left out. */
export function idsOf(value: unknown, max = ADDRESSEES_MAX): readonly string[] {
  return [...new Set(asList(value, max).flatMap((one) => idOf(one) ?? []))];
}

/** Returns a property's value if it is an embedded object. A list with one object counts as that object. */
export function objectOf(value: unknown): JsonObject | undefined {
  const one = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isObject(one) ? one : undefined;
}

/** Returns the types of an object. */
export const typesOf = ({ type }: JsonObject): readonly string[] =>
  asList(type, TYPES_MAX).filter((one): one is string => typeof one === 'string');

/** Returns the first type of an object that is one of `known`. */
export const typeAmong = (object: JsonObject, known: { has(type: string): boolean }): string | undefined =>
  typesOf(object).find((type) => known.has(type));

/** Returns a text, at most `charsMax` UTF-16 units of it. Half a character at the end becomes U+FFFD. */
export function textOf(value: unknown, charsMax: number): string {
  if (typeof value !== 'string') return '';
  const cut = value.length > charsMax ? value.slice(0, charsMax) : value;
  return cut.replace(/\p{Surrogate}$/u, '\ufffd');
}

/** Returns a time in ms, or undefined for anything but a full date and time with its offset (xsd:dateTime). */
export function timeOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || value.length > 40) return undefined;
  const match = /^(\d{4})-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i.exec(value);
  if (match === null || Number(match[1]) > YEAR_MAX) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Returns a count that another server reports: whole and not negative; undefined for anything else. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** Returns true for an object that somebody marked so with `true`. */
export const isTrue = (value: unknown): boolean => value === true || value === 'true';

/** The receivers of an object. */
export interface Audience {
  readonly visibility: Visibility;
  /** Addresses other than the public collection and the author's followers, in canonical spelling, each once. */
  readonly addressed: readonly string[];
}

/**
 * Returns the visibility that `to` and `cc` of an object express, as Mastodon reads them, and those addressed one by
 * one. An object that is neither for everybody nor for the author's followers is direct.
 * @param followers address of the author's collection of followers, if known
 */
export function audienceOf(to: unknown, cc: unknown, followers: string | undefined): Audience {
  const [primary, secondary] = [asList(to), asList(cc)];
  const all = [...primary, ...secondary];
  const ids = idsOf(all, ADDRESSEES_MAX);
  const collection = followers === undefined ? undefined : canonicalUri(followers);
  const addressed = ids.filter((id) => id !== collection && id !== PUBLIC);
  const isPublic = (one: unknown) => PUBLIC_NAMES.has(isObject(one) ? one.id : one);
  if (primary.some(isPublic)) return { visibility: 'public', addressed };
  if (secondary.some(isPublic)) return { visibility: 'unlisted', addressed };
  const isForFollowers = collection !== undefined && ids.includes(collection);
  return { visibility: isForFollowers ? 'private' : 'direct', addressed };
}
