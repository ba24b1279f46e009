import { isProblem, Unavailable } from '../../actors/domain/problem.js';
import { PUBLIC_LANES } from '../../actors/domain/public.js';
import { INSTANCE_ID } from '../../actors/instance/commands.js';
import type { InstanceDayTotals } from '../../proto/gen/types.js';
import { RANGE_LIMIT_MAX } from '../../store/port.js';
import { accountTallies, dayTotals, tallyDays } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import { Sketch } from './sketch.js';

/** What a day held. */
export interface Day {
  registrations: number;
  statuses: number;
  /** Accounts that said something. */
  readonly active: Sketch;
}

export interface Totals {
  /** Confirmed and approved accounts that are not suspended. */
  readonly users: number;
  /** Statuses and reblogs of these, without direct ones. */
  readonly statuses: number;
  /** Accounts that said something within 30 days; an estimate where there are many. */
  readonly activeMonth: number;
  /** The same within 180 days. */
  readonly activeHalfYear: number;
}

/** As of a moment. */
export interface Statistics extends Totals {
  readonly atMs: number;
  /** By days since 1970, for the last WEEKS_COUNTED weeks. */
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
/** Today and yesterday are read again and again: effects that an outage delays still add to them. */
const OPEN_DAYS = 2;
/** Accounts of one period that are looked at one by one. */
const ACTIVE_MAX = 10_000;

/** The end of a day. */
interface Counted extends Day {
  /** Totals when the day ended. */
  readonly users: number;
  readonly total: number;
}

interface Held {
  counted: Statistics | undefined;
  counting: Promise<Statistics> | undefined;
  /** Days whose totals are stored, of the last half year and the one before. */
  readonly closed: Map<number, Counted>;
}
/** For each server in the process, as long as its registry lives. */
const heldOf = new WeakMap<object, Held>();

/** The latest count. One that is older than KEPT_MS is returned as it is, and replaced in the background. @throws Unavailable */
export async function statisticsOf(services: Services): Promise<Statistics> {
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
  // A failure is not lost: the next question counts again.
  held.counting.catch(() => undefined);
  return held.counted;
}

/** Adds the rows of the days that are open to the stored totals of those before, and stores the days that end. */
async function count(services: Services, closed: Map<number, Counted>): Promise<Statistics> {
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
    // A day that could not be stored waits for the next count, and so do those after it.
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

/** How many accounts said something on these days, both included. */
export function activeIn(days: ReadonlyMap<number, Day>, first: number, last: number): number {
  const all = new Sketch();
  for (const [day, { active }] of days) if (day >= first && day <= last) all.merge(active);
  return all.size;
}

async function readClosed({ tables }: Services, closed: Map<number, Counted>, first: number): Promise<void> {
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

async function countDay(services: Services, day: number, before: Counted | undefined): Promise<Counted> {
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

async function* tallies({ tables }: Services, day: number) {
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

/** Ids of accounts that said something on these days, both included; those of the latest days if there are many. */
export async function activeAccounts(services: Services, first: number, last: number): Promise<string[]> {
  const found = new Set<string>();
  for (let day = last; day >= first && found.size < ACTIVE_MAX; day--)
    for await (const rows of tallies(services, day))
      for (const { key, value } of rows) if (value.said > 0) found.add(key.account);
  return [...found].slice(0, ACTIVE_MAX);
}

/** The instance's actor stores a day once, whichever node counted it. False when it could not. */
async function store({ askInstance }: Services, day: number, counted: Counted): Promise<boolean> {
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
