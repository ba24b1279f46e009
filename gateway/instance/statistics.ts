import { eraOfId, eraOfMs, idMs } from '../../actors/domain/ids.js';
import { PUBLIC_LANES } from '../../actors/domain/public.js';
import { RANGE_LIMIT_MAX } from '../../store/port.js';
import { accountListings, accountStatuses, accounts } from '../../store/tables.js';
import { isSuspended } from '../entities/account.js';
import type { Services } from '../services.js';

/** What a day held. */
export interface Day {
  registrations: number;
  statuses: number;
  /** Accounts that said something. */
  readonly active: Set<string>;
}

/** Counted, not estimated, as of a moment. */
export interface Statistics {
  readonly atMs: number;
  readonly users: number;
  readonly statuses: number;
  readonly activeMonth: number;
  readonly activeHalfYear: number;
  /** By days since 1970, for the last WEEKS_COUNTED weeks. */
  readonly days: ReadonlyMap<number, Day>;
}

export const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
/** Source: Mastodon InstancePresenter and Api::V1::Instances::ActivityController: twelve weeks. */
export const WEEKS_COUNTED = 12;
const MONTH_DAYS = 30;
const HALF_YEAR_DAYS = 180;
/** Counted at most this often: all accounts and what they said lately are looked at. */
const KEPT_MS = 300_000;
/** Longest that an answer waits for the first count; then it says nothing rather than to be late. */
const PATIENCE_MS = 2_000;
const CHUNK = 200;

const nothing: Statistics = { atMs: 0, users: 0, statuses: 0, activeMonth: 0, activeHalfYear: 0, days: new Map() };
interface Held {
  counted: Statistics | undefined;
  counting: Promise<Statistics> | undefined;
}
/** For each server in the process, as long as its registry lives. */
const heldOf = new WeakMap<object, Held>();

/** The newest count; counted anew in the background once it is old. @throws Unavailable */
export async function statisticsOf(services: Services, keptMs = KEPT_MS): Promise<Statistics> {
  const held = heldOf.get(services.registry) ?? { counted: undefined, counting: undefined };
  heldOf.set(services.registry, held);
  const { clock } = services;
  if (held.counted !== undefined && clock.nowMs() - held.counted.atMs < keptMs) return held.counted;
  held.counting ??= count(services)
    .then((counted) => {
      held.counted = counted;
      return counted;
    })
    .finally(() => {
      held.counting = undefined;
    });
  if (held.counted !== undefined && keptMs > 0) {
    held.counting.catch(() => undefined);
    return held.counted;
  }
  const late = new Promise<Statistics>((resolve) => void clock.after(PATIENCE_MS, () => resolve(nothing)));
  return Promise.race([held.counting, late]);
}

/** Ids of the accounts of this server, newest first, some at a time. */
export async function* listedAccounts(services: Services): AsyncGenerator<readonly string[]> {
  for (let era = eraOfMs(services.clock.nowMs()); era >= FIRST_ERA; era--) {
    // Most are empty: a look at each in turn would take as long as all answers together.
    const firstOfLanes = Array.from({ length: PUBLIC_LANES }, (_, lane) => someListed(services, era, lane));
    await Promise.allSettled(firstOfLanes);
    for (const [lane, first] of firstOfLanes.entries()) {
      for (let ids = await first; ids.length > 0; ) {
        yield ids;
        ids = ids.length < CHUNK ? [] : await someListed(services, era, lane, ids.at(-1));
      }
    }
  }
}

async function someListed({ tables }: Services, era: number, lane: number, before?: string): Promise<string[]> {
  const bound = before === undefined ? {} : { before: { account: before } };
  const rows = await tables.range(accountListings, { era, lane }, { ...bound, reverse: true, limit: CHUNK });
  return rows.map(({ key }) => key.account);
}

/** Of 2020: nobody signed up here before this was written. */
export const FIRST_ERA = eraOfMs(1_577_836_800_000);

async function count(services: Services): Promise<Statistics> {
  const nowMs = services.clock.nowMs();
  const today = Math.floor(nowMs / DAY_MS);
  const firstDay = today - WEEKS_COUNTED * WEEK_DAYS;
  const days = new Map<number, Day>();
  const totals = { users: 0, statuses: 0, activeMonth: 0, activeHalfYear: 0 };
  const dayOf = (day: number): Day => {
    const known = days.get(day) ?? { registrations: 0, statuses: 0, active: new Set<string>() };
    days.set(day, known);
    return known;
  };
  for await (const ids of listedAccounts(services)) {
    const records = await services.tables.getMany(
      accounts,
      ids.map((account) => ({ account })),
    );
    for (const record of records) {
      if (record === undefined || !record.confirmed || !record.approved || isSuspended(record)) continue;
      totals.users++;
      totals.statuses += record.statuses;
      const signedUp = Math.floor(idMs(record.id) / DAY_MS);
      if (signedUp >= firstDay) dayOf(signedUp).registrations++;
      const lastDay = Math.floor(record.lastStatusAtMs / DAY_MS);
      if (lastDay > today - MONTH_DAYS) totals.activeMonth++;
      if (lastDay > today - HALF_YEAR_DAYS) totals.activeHalfYear++;
      if (lastDay >= firstDay) await countStatuses(services, record.id, firstDay, dayOf);
    }
  }
  return { atMs: nowMs, ...totals, days };
}

async function countStatuses(
  services: Services,
  account: string,
  firstDay: number,
  dayOf: (day: number) => Day,
): Promise<void> {
  for (let era = eraOfMs(services.clock.nowMs()); era >= eraOfMs(firstDay * DAY_MS) && era >= eraOfId(account); era--) {
    const rows = await services.tables.range(
      accountStatuses,
      { account, era },
      { reverse: true, limit: RANGE_LIMIT_MAX },
    );
    for (const { key } of rows) {
      const day = Math.floor(idMs(key.status) / DAY_MS);
      if (day < firstDay) break;
      const counted = dayOf(day);
      counted.statuses++;
      counted.active.add(account);
    }
  }
}
