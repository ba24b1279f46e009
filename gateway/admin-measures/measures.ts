import { idMs } from '../../actors/domain/ids.js';
import { isProblem, type Problem } from '../../actors/domain/problem.js';
import type { InstanceReport } from '../../proto/gen/types.js';
import { DAY_MS } from '../discovery/tag-histories.js';
import type { Services } from '../http/services.js';
import { reportsCursor } from '../moderation/moderators.js';
import { ALL } from '../paging/cursor.js';
import { isoTime } from '../paging/iso-time.js';
import { notFound } from '../viewing/visible.js';
import { interactions } from './interactions.js';
import { countedDays, daysBefore, daysOf, type Period } from './period.js';
import { activeIn, statisticsOf } from './statistics.js';
import { tagNamed, tagUses } from './tag-uses.js';

/** Reports read for one query, newest first. */
const REPORTS_MAX = 5_000;
const READ_AT_ONCE = 200;

/** Returns the total of a period. */
type Count = (period: Period) => number;
/** Hashtag or domain that a measure concerns, by the measure's key. */
export type Subjects = Readonly<Record<string, string | undefined>>;

interface Measured {
  readonly services: Services;
  /** Days that the count must cover. */
  readonly days: Period;
  readonly subject: string;
}

interface Kind {
  readonly count: (measured: Measured) => Promise<Count | Problem>;
  /** True if the measure demands a subject. */
  readonly hasSubject?: boolean;
  readonly unit?: string;
  readonly human?: (total: number) => string;
}

const nothing: Kind = { hasSubject: true, count: async () => () => 0 };

/** Measures by key. Those about other servers are zero. */
const KINDS: Readonly<Record<string, Kind>> = {
  active_users: {
    count: async ({ services }) => {
      const { days } = await statisticsOf(services);
      return ({ first, last }) => activeIn(days, first, last);
    },
  },
  new_users: {
    count: async ({ services }) => {
      const { days } = await statisticsOf(services);
      return summed((day) => days.get(day)?.registrations);
    },
  },
  interactions: {
    count: async ({ services }) => {
      const byDay = await interactions(services);
      return summed((day) => byDay.get(day));
    },
  },
  opened_reports: { count: ({ services }) => reportsBy(services, ({ createdAtMs }) => createdAtMs) },
  resolved_reports: { count: ({ services }) => reportsBy(services, ({ resolvedAtMs }) => resolvedAtMs) },
  tag_accounts: ofTag((accountIds) => distinct(accountIds)),
  tag_uses: ofTag((accountIds) => accountIds.length),
  // The only possible server is this one.
  tag_servers: ofTag((accountIds) => Math.min(accountIds.length, 1)),
  instance_accounts: nothing,
  instance_media_attachments: { ...nothing, unit: 'bytes', human: (total) => `${total} Bytes` },
  instance_reports: nothing,
  instance_statuses: nothing,
  instance_follows: nothing,
  instance_followers: nothing,
};

/** Keys of all measures. */
export const MEASURES = Object.keys(KINDS);

/** Returns one measure for clients; undefined if the key is unknown or its subject is missing. */
export async function measure(services: Services, key: string, period: Period, subjects: Subjects) {
  const kind = Object.hasOwn(KINDS, key) ? KINDS[key] : undefined;
  const subject = subjects[key];
  if (kind === undefined || (kind.hasSubject === true && subject === undefined)) return undefined;
  const nowMs = services.clock.nowMs();
  const days = countedDays(period, nowMs);
  const before = daysBefore(days, nowMs);
  const covered = { first: before?.first ?? days.first, last: days.last };
  const count = await kind.count({ services, days: covered, subject: subject ?? '' });
  if (isProblem(count)) return count;
  const total = count(days);
  return {
    key,
    unit: kind.unit ?? null,
    total: String(total),
    ...(kind.human === undefined ? {} : { human_value: kind.human(total) }),
    ...(before === undefined ? {} : { previous_total: String(count(before)) }),
    data: Array.from(daysOf(days), (day) => ({
      date: isoTime(day * DAY_MS),
      value: String(count({ first: day, last: day })),
    })),
  };
}

const distinct = (names: readonly string[]): number => new Set(names).size;

/** Returns a count that sums up the values of days. */
export function summed(on: (day: number) => number | undefined): Count {
  return (period) => {
    let sum = 0;
    for (const day of daysOf(period)) sum += on(day) ?? 0;
    return sum;
  };
}

function ofTag(countUses: (accountIds: readonly string[]) => number): Kind {
  return {
    hasSubject: true,
    count: async ({ services, days, subject }) => {
      const tag = await tagNamed(services, subject);
      if (tag === undefined) return notFound();
      const byDay = new Map<number, string[]>();
      for (const { id, accountId } of await tagUses(services, tag, days)) {
        const day = Math.floor(idMs(id) / DAY_MS);
        const known = byDay.get(day);
        if (known === undefined) byDay.set(day, [accountId]);
        else known.push(accountId);
      }
      return (period) => countUses([...daysOf(period)].flatMap((day) => byDay.get(day) ?? []));
    },
  };
}

async function reportsBy(
  services: Pick<Services, 'tables' | 'clock'>,
  atMs: (report: InstanceReport) => number,
): Promise<Count> {
  const cursor = reportsCursor(services, ALL);
  const byDay = new Map<number, number>();
  for (let read = 0; read < REPORTS_MAX; ) {
    const rows = await cursor.next(READ_AT_ONCE);
    if (rows.length === 0) break;
    read += rows.length;
    for (const { value } of rows) {
      const day = Math.floor(atMs(value) / DAY_MS);
      byDay.set(day, (byDay.get(day) ?? 0) + 1);
    }
  }
  return summed((day) => byDay.get(day));
}
