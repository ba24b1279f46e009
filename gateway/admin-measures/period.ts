import { IDS_PER_MS, makeId, SHARDS } from '../../actors/domain/ids.js';
import { type Problem, problem } from '../../actors/domain/problem.js';
import { DAY_MS } from '../discovery/tag-histories.js';
import { WEEKS_COUNTED } from './statistics.js';

const WEEK_DAYS = 7;
/** Days for which there are counts, including today. */
const DAYS_MAX = WEEKS_COUNTED * WEEK_DAYS;

/** Days since 1970 (UTC), both inclusive; empty if `last` is before `first`. */
export interface Period {
  readonly first: number;
  readonly last: number;
}

/** Parses a period from two times, or returns a problem if one is malformed. */
export function periodOf(startAt: string, endAt: string): Period | Problem {
  const [first, last] = [startAt, endAt].map((text) => Math.floor(Date.parse(text) / DAY_MS)) as [number, number];
  if (Number.isNaN(first)) return invalid('start_at');
  if (Number.isNaN(last) || last < first) return invalid('end_at');
  return { first, last };
}

/** Restricts a period to the days for which there are counts. */
export function countedDays({ first, last }: Period, nowMs: number): Period {
  const today = Math.floor(nowMs / DAY_MS);
  return { first: Math.max(first, today - DAYS_MAX + 1), last: Math.min(last, today) };
}

/** Returns the period of equal length before a period; undefined if some of its days are no longer counted. */
export function daysBefore({ first, last }: Period, nowMs: number): Period | undefined {
  const before = { first: first - (last - first + 1), last: first - 1 };
  return last < first || countedDays(before, nowMs).first > before.first ? undefined : before;
}

/** Returns the bounds of ids that were minted in a period, newest first. */
export function idsOf({ first, last }: Period) {
  const after = makeId(Math.max(first * DAY_MS - 1, 0), SHARDS - 1, IDS_PER_MS - 1);
  return { after, before: makeId(Math.max((last + 1) * DAY_MS, 0), 0, 0), upwards: false };
}

export function* daysOf({ first, last }: Period): Generator<number> {
  for (let day = first; day <= last; day++) yield day;
}

const invalid = (field: string) =>
  problem('invalid', `Validation failed: ${field === 'start_at' ? 'Start' : 'End'} at is invalid`, {
    [field]: [{ error: 'ERR_INVALID', description: 'is invalid' }],
  });
