import { isProblem, Unavailable } from '../../actors/domain/problem.js';
import { PUBLIC_LANES } from '../../actors/domain/public.js';
import { INSTANCE_ID } from '../../actors/instance/commands.js';
import type { InstanceDayTotals } from '../../proto/gen/types.js';
import { RANGE_LIMIT_MAX } from '../../store/port.js';
import { accountTallies, dayTotals, tallyDays } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import { Sketch } from './sketch.js';

/** Counts of one day. */
export interface Day {
  registrations: number;
  statuses: number;
  /** Accounts that posted. */
  readonly active: Sketch;
}

export interface Totals {
  /** Confirmed and approved accounts that are not suspended. */
  readonly users: number;
  /** Statuses and reblogs of these accounts, without direct ones. */
  readonly statuses: number;
  /** Accounts that posted within 30 days; an estimate if there are many. */
  readonly activeMonth: number;
  /** Accounts that posted within 180 days; an estimate if there are many. */
  readonly activeHalfYear: number;
}

/** Counts at a moment. */
export interface Statistics extends Totals {
  readonly atMs: number;
  /** Counts by days since 1970, for the last WEEKS_COUNTED weeks. */
  readonly days: ReadonlyMap<number, Day>;
}

export const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
/** Source: Mastodon InstancePresenter and Api::V1::Instances::ActivityController: twelve weeks. */
export const WEEKS_COUNTED = 12;
const MONTH_DAYS = 30;
const HALF_YEAR_DAYS = 180;
/** Interval of the counts of one node: each reads the rows of today and yesterday. */
const KEPT_MS = 300_000;
/** Latest days that are recounted each time: effects that an outage delays still add to them. */
const OPEN_DAYS = 2;
/** Accounts of one period that are read one by one. */
const ACTIVE_MAX = 10_000;

/** Counts of one day, with the totals at its end. */
interface Counted extends Day {
  /** Totals at the end of the day. */
  readonly users: number;
  readonly total: number;
}

interface Held {
  counted: Statistics | undefined;
  counting: Promise<Statistics> | undefined;
  /** Days whose totals are stored, of the last half year and the one before. */
  readonly closed: Map<number, Counted>;
}
/** Counts by server, because tests start several in one process; released with the server's registry. */
const heldOf = new WeakMap<object, Held>();

/**
 * Returns the latest count. A count older than KEPT_MS is returned as it is, and replaced in the background. @throws
 * Unavailable
 */
export async function statisticsOf(
  services: Pick<Services, 'askInstance' | 'registry' | 'tables' | 'clock'>,
): Promise<Statistics> {
  const held = heldOf.get(services.registry) ?? { counted: undefined, counting: undefined, closed: new Map() };
  heldOf.set(services.registry, held);
  if (held.counted !== undefined && services.clock.nowMs() - held.counted.atMs < KEPT_MS) return held.counted;
  held.counting ??= count(services, held.closed)
    .then((counted) => {
      held.counted = counted;
      return counted;
    })
    .finally(() => {
      held.counting = undefined;
    });
  if (held.counted === undefined) return held.counting;
  // A failure needs no handling: the next call counts again.
  held.counting.catch(() => undefined);
  return held.counted;
}

/** Adds the rows of the open days to the stored totals of the days before, and stores the days that have ended. */
async function count(
  services: Pick<Services, 'askInstance' | 'tables' | 'clock'>,
  closed: Map<number, Counted>,
): Promise<Statistics> {
  const nowMs = services.clock.nowMs();
  const today = Math.floor(nowMs / DAY_MS);
  await readClosed(services, closed, today - HALF_YEAR_DAYS);
  const days = new Map(closed);
  let isStoring = true;
  let latest = [...closed.keys()].reduce((one, other) => Math.max(one, other), -1);
  for (const { key } of await services.tables.range(
    tallyDays,
    { century: 0 },
    { after: { day: Math.max(0, latest) }, limit: RANGE_LIMIT_MAX },
  )) {
    const counted = await countDay(services, key.day, days.get(latest));
    days.set(key.day, counted);
    latest = key.day;
    // A day that could not be stored waits for the next count, and so do the days after it.
    if (key.day <= today - OPEN_DAYS) isStoring = isStoring && (await store(services, key.day, counted));
  }
  const { users, total } = days.get(latest) ?? { users: 0, total: 0 };
  const shown = [...days].filter(([day]) => day > today - WEEKS_COUNTED * WEEK_DAYS - WEEK_DAYS && day <= today);
  return {
    atMs: nowMs,
    users,
    statuses: total,
    activeMonth: activeIn(days, today - MONTH_DAYS + 1, today),
    activeHalfYear: activeIn(days, today - HALF_YEAR_DAYS + 1, today),
    days: new Map(shown),
  };
}

/** Returns the number of accounts that posted on these days, both inclusive. */
export function activeIn(days: ReadonlyMap<number, Day>, first: number, last: number): number {
  const all = new Sketch();
  for (const [day, { active }] of days) if (day >= first && day <= last) all.merge(active);
  return all.size;
}

async function readClosed(
  { tables }: Pick<Services, 'tables'>,
  closed: Map<number, Counted>,
  first: number,
): Promise<void> {
  const known = [...closed.keys()].reduce((one, other) => Math.max(one, other), first - 1);
  const options = { after: { day: Math.max(0, known) }, limit: RANGE_LIMIT_MAX };
  const rows = await tables.range(dayTotals, { century: 0 }, options);
  if (rows.length === 0 && closed.size === 0)
    rows.push(...(await tables.range(dayTotals, { century: 0 }, { reverse: true, limit: 1 })));
  for (const { key, value } of rows) {
    const { users, statuses: total, registrations, said: statuses, active } = value;
    closed.set(key.day, { users, total, registrations, statuses, active: Sketch.decode(active) });
  }
  const latest = [...closed.keys()].reduce((one, other) => Math.max(one, other), -1);
  for (const day of closed.keys()) if (day < first && day !== latest) closed.delete(day);
}

async function countDay(
  services: Pick<Services, 'tables'>,
  day: number,
  before: Counted | undefined,
): Promise<Counted> {
  const counted = { users: before?.users ?? 0, total: before?.total ?? 0, registrations: 0, statuses: 0 };
  const active = new Sketch();
  for await (const rows of tallies(services, day)) {
    for (const { key, value } of rows) {
      counted.users += value.users;
      counted.total += value.statuses;
      counted.statuses += value.said;
      if (value.joined) counted.registrations += 1;
      if (value.said > 0) active.add(key.account);
    }
  }
  return { ...counted, active };
}

async function* tallies({ tables }: Pick<Services, 'tables'>, day: number) {
  for (let lane = 0; lane < PUBLIC_LANES; lane++) {
    for (let after: { readonly account: string } | undefined; ; ) {
      const rows = await tables.range(accountTallies, { day, lane }, { after, limit: RANGE_LIMIT_MAX });
      yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < RANGE_LIMIT_MAX) break;
      after = { account: last.key.account };
    }
  }
}

/** Returns ids of accounts that posted on these days, both inclusive; those of the latest days if there are many. */
export async function activeAccounts(
  services: Pick<Services, 'tables'>,
  first: number,
  last: number,
): Promise<string[]> {
  const found = new Set<string>();
  for (let day = last; day >= first && found.size < ACTIVE_MAX; day--)
    for await (const rows of tallies(services, day))
      for (const { key, value } of rows) if (value.said > 0) found.add(key.account);
  return [...found].slice(0, ACTIVE_MAX);
}

/** Stores a day through the instance's actor, once for all nodes. Returns false if the store is unavailable. */
async function store({ askInstance }: Pick<Services, 'askInstance'>, day: number, counted: Counted): Promise<boolean> {
  const { users, total, registrations, statuses, active } = counted;
  const totals: InstanceDayTotals = {
    day,
    users,
    statuses: total,
    registrations,
    said: statuses,
    active: active.encode(),
  };
  try {
    return !isProblem(await askInstance(INSTANCE_ID, 'keepDay', totals));
  } catch (error) {
    if (error instanceof Unavailable) return false;
    throw error;
  }
}
