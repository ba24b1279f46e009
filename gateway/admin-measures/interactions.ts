import { idMs, makeId } from '../../actors/domain/ids.js';
import { accountStatuses, favourites } from '../../store/tables.js';
import { SharedValue } from '../discovery/shared-value.js';
import { DAY_MS } from '../discovery/tag-histories.js';
import type { Services } from '../http/services.js';
import { listedAccounts } from '../moderation/listed-accounts.js';
import { accountCursor } from '../paging/eras.js';
import { countedDays } from './period.js';

/** Accounts whose interactions are counted, newest first: each costs two reads. */
const ACCOUNTS_MAX = 5_000;
/** Rows of one account, of each kind. */
const ROWS_MAX = 5_000;
/** Accounts read concurrently. */
const READ_AT_ONCE = 20;
/** Rows of all accounts after which older accounts are left out: some seconds of reading. */
const ROWS_IN_ALL_MAX = 200_000;

type ByDay = ReadonlyMap<number, number>;
/** Cached counts by server, because tests start several in one process; released with the server's registry. */
const keptOf = new WeakMap<object, SharedValue<ByDay>>();

/** Returns the number of favourites, reblogs, and replies to others by local accounts, by days since 1970. */
export function interactions(services: Pick<Services, 'registry' | 'tables' | 'clock'>): Promise<ByDay> {
  const cached = keptOf.get(services.registry) ?? new SharedValue(services.clock, () => countInteractions(services));
  keptOf.set(services.registry, cached);
  return cached.get();
}

/** Counts without the cache; reads no more accounts after `rowsMax` rows. */
export async function countInteractions(
  services: Pick<Services, 'tables' | 'clock'>,
  rowsMax = ROWS_IN_ALL_MAX,
): Promise<ByDay> {
  const byDay = new Map<number, number>();
  const { first } = countedDays({ first: 0, last: 0 }, services.clock.nowMs());
  const after = makeId(first * DAY_MS, 0, 0);
  let [looked, rows] = [0, 0];
  for await (const ids of listedAccounts(services)) {
    for (let start = 0; start < ids.length; start += READ_AT_ONCE) {
      const some = ids.slice(start, start + READ_AT_ONCE);
      const made = await Promise.all(some.map((id) => madeBy(services, id, after)));
      rows += made.reduce((sum, { read }) => sum + read, 0);
      for (const id of made.flatMap((one) => one.ids)) {
        const day = Math.floor(idMs(id) / DAY_MS);
        byDay.set(day, (byDay.get(day) ?? 0) + 1);
      }
      if (rows >= rowsMax) return byDay;
    }
    looked += ids.length;
    if (looked >= ACCOUNTS_MAX) break;
  }
  return byDay;
}

/** Returns ids of an account's interactions with others' statuses, and the number of rows read. */
async function madeBy(
  { tables, clock }: Pick<Services, 'tables' | 'clock'>,
  account: string,
  after: string,
): Promise<{ readonly ids: readonly string[]; readonly read: number }> {
  const bounds = { before: undefined, after, upwards: false };
  const [said, liked] = await Promise.all([
    accountCursor(tables, clock, accountStatuses, 'status', account, bounds).next(ROWS_MAX),
    accountCursor(tables, clock, favourites, 'mark', account, bounds).next(ROWS_MAX),
  ]);
  const toOthers = said.filter(
    ({ value }) =>
      value.reblogOfId !== undefined || (value.inReplyToId !== undefined && value.inReplyToAccountId !== account),
  );
  return { ids: [...toOthers, ...liked].map(({ id }) => id), read: said.length + liked.length };
}
