import { idMs } from '../../actors/domain/ids.js';
import { DAY_MS } from '../discovery/tag-histories.js';
import type { Services } from '../http/services.js';
import { isoTime } from '../paging/iso-time.js';
import { newcomers } from './newcomers.js';
import type { Period } from './period.js';

/** Days or months in one answer, the last of those requested: some five thousand numbers. */
const COHORTS_MAX = 100;

export type Frequency = 'day' | 'month';

/**
 * Returns for each day or month how many of its new accounts were active in it and in each later one. An account counts
 * as active until its last status.
 */
export async function retention(services: Pick<Services, 'tables' | 'clock'>, period: Period, frequency: Frequency) {
  const today = Math.floor(services.clock.nowMs() / DAY_MS);
  const last = Math.min(period.last, today);
  const starts = startsOf({ first: period.first, last }, frequency);
  const [earliest] = starts;
  if (earliest === undefined) return [];
  const cohorts = starts.map(() => starts.map(() => 0));
  const indexOf = (day: number) => starts.findLastIndex((start) => start <= day);
  for await (const { id, lastStatusAtMs } of newcomers(services, { first: earliest, last })) {
    const joined = Math.floor(idMs(id) / DAY_MS);
    const lastSeen = Math.max(joined, Math.floor(lastStatusAtMs / DAY_MS));
    const cohort = cohorts[indexOf(joined)] ?? [];
    for (let index = indexOf(joined); index <= indexOf(lastSeen); index++) cohort[index] = (cohort[index] ?? 0) + 1;
  }
  return starts.map((start, index) => ({
    period: isoTime(start * DAY_MS),
    frequency,
    data: starts.slice(index).map((day, after) => {
      const [here = 0, all = 0] = [cohorts[index]?.[index + after], cohorts[index]?.[index]];
      return { date: isoTime(day * DAY_MS), rate: all === 0 ? 0 : here / all, value: String(here) };
    }),
  }));
}

/** Returns the first days of the days or months that a period touches, earliest first. */
function startsOf({ first, last }: Period, frequency: Frequency): number[] {
  const starts: number[] = [];
  for (let day = last; day >= first && starts.length < COHORTS_MAX; day--) {
    if (frequency === 'month') day = monthOf(day);
    starts.unshift(day);
  }
  return starts;
}

/** Returns the first day of a day's month. */
function monthOf(day: number): number {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / DAY_MS;
}
