import { eraOfId, eraOfMs, idMs } from '../../actors/domain/ids.js';
import { Unavailable } from '../../actors/domain/problem.js';
import { PUBLIC_LANES } from '../../actors/domain/public.js';
import type { Timer } from '../../actors/domain/time.js';
import { INSTANCE_ID } from '../../actors/instance/commands.js';
import { ASK_TIMEOUT_MS } from '../../actors/runtime/kind.js';
import { RANGE_LIMIT_MAX } from '../../store/port.js';
import { accountListings, accountStatuses, accounts, instanceTotals } from '../../store/tables.js';
import { isSuspended, statusesTold } from '../entities/account.js';
import type { Services } from '../services.js';

/** What a day held. */
export interface Day {
  registrations: number;
  statuses: number;
  /** Accounts that said something. */
  readonly active: Set<string>;
}

/** Counted, not estimated. */
export interface Totals {
  readonly users: number;
  readonly statuses: number;
  readonly activeMonth: number;
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
/** Counted at most this often: all accounts and what they said lately are looked at. */
const KEPT_MS = 300_000;
/** Longest that an answer waits for this node's first count, when there is one of before that it may tell. */
const PATIENCE_MS = 2_000;
/** And when there is none: as long as for anything else that is asked. Nobody is told a number that is not one. */
const COUNT_MS_MAX = ASK_TIMEOUT_MS;
const CHUNK = 200;

interface Held {
  counted: Statistics | undefined;
  counting: Promise<Statistics> | undefined;
}
/** For each server in the process, as long as its registry lives. */
const heldOf = new WeakMap<object, Held>();

/** The newest count, made anew in the background once it is old; undefined: the first one takes long. @throws Unavailable */
export async function statisticsOf(services: Services, patienceMs = PATIENCE_MS): Promise<Statistics | undefined> {
  const held = heldOf.get(services.registry) ?? { counted: undefined, counting: undefined };
  heldOf.set(services.registry, held);
  const { clock } = services;
  if (held.counted !== undefined && clock.nowMs() - held.counted.atMs < KEPT_MS) return held.counted;
  held.counting ??= count(services)
    .then((counted) => {
      held.counted = counted;
      keep(services, counted);
      return counted;
    })
    .finally(() => {
      held.counting = undefined;
    });
  if (held.counted !== undefined) {
    held.counting.catch(() => undefined);
    return held.counted;
  }
  let timer: Timer | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = clock.after(patienceMs, () => resolve(undefined));
  });
  return Promise.race([held.counting, late]).finally(() => timer?.cancel());
}

/** How many there are: as this node counted, or, while its first count takes long, as any did last. @throws Unavailable */
export async function totalsOf(services: Services): Promise<Totals> {
  const found =
    (await statisticsOf(services)) ??
    (await services.tables.get(instanceTotals, { century: 0 })) ??
    (await statisticsOf(services, COUNT_MS_MAX - PATIENCE_MS));
  if (found === undefined) throw new Unavailable('people and statuses are being counted for the first time');
  return found;
}

/** For nodes that start. One that cannot be kept is no loss: the next one is. */
function keep({ askInstance }: Services, { users, statuses, activeMonth, activeHalfYear, atMs }: Statistics): void {
  const totals = { users, statuses, activeMonth, activeHalfYear, atMs };
  askInstance(INSTANCE_ID, 'keepTotals', totals).catch(() => undefined);
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
      totals.statuses += statusesTold(record);
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
