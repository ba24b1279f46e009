import { ENTRIES_MAX } from '../../actors/instance/entries.js';
import type { InstanceEntry } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import { putEntry, removeEntry } from '../settings/changes.js';
import type { InstanceEntries } from '../settings/entries.js';

export type TrendKind = 'tag' | 'link' | 'status';
export type Verdict = 'approved' | 'rejected';

/** Moderators' decisions about trends. */
export interface TrendReviews {
  /** Returns the decision. `name` is a hashtag's name, an address, or the id of a status. */
  of(kind: TrendKind, name: string): Verdict | undefined;
  /** Returns true if people see it among the trends. */
  shows(kind: TrendKind, name: string): boolean;
  /** Returns true if it waits for a moderator. */
  waits(kind: TrendKind, name: string): boolean;
}

const COLLECTION = 'trends';
const keyOf = (kind: TrendKind, name: string) => `${kind}:${name}`;

/** Parsed decisions by entries, valid while the entries are the same object. */
const readOf = new WeakMap<readonly InstanceEntry[], ReadonlyMap<string, string>>();

function verdicts(entries: readonly InstanceEntry[]): ReadonlyMap<string, string> {
  const known = readOf.get(entries);
  if (known !== undefined) return known;
  const read = new Map(entries.map(({ key, text }) => [key, text?.text ?? '']));
  readOf.set(entries, read);
  return read;
}

/**
 * Returns the current decisions. With the setting `trends_review` a trend shows only after approval. @throws
 * Unavailable
 */
export async function trendReviews(entries: InstanceEntries): Promise<TrendReviews> {
  const [decided, setting] = await Promise.all([entries.of(COLLECTION), entries.setting('trends_review')]);
  const known = verdicts(decided);
  const isNeeded = setting?.text?.text === 'on';
  const of = (kind: TrendKind, name: string) => known.get(keyOf(kind, name)) as Verdict | undefined;
  return {
    of,
    shows: (kind, name) => (isNeeded ? of(kind, name) === 'approved' : of(kind, name) !== 'rejected'),
    waits: (kind, name) => isNeeded && of(kind, name) === undefined,
  };
}

/**
 * Stores a decision of the moderator `by`; durable when resolved. If there are too many decisions, the oldest is
 * deleted: it no longer trends.
 */
export async function reviewTrend(
  services: Pick<Services, 'entries' | 'askInstance'>,
  by: string,
  kind: TrendKind,
  name: string,
  verdict: Verdict,
) {
  const key = keyOf(kind, name);
  const all = await services.entries.of(COLLECTION);
  const [oldest] = all;
  if (oldest !== undefined && all.length >= ENTRIES_MAX && !all.some((entry) => entry.key === key))
    await removeEntry(services, by, COLLECTION, oldest.id);
  return putEntry(services, by, { collection: COLLECTION, key, replace: true, text: { text: verdict, hint: '' } });
}
