import type { StoreAccountRecord } from '../proto/gen/types.js';
import { followers, following } from '../store/tables.js';
import { isPublished, isSuspended } from './entities/account.js';
import { loadAccounts } from './entities/status.js';
import type { Services } from './services.js';
import type { Lens } from './streaming/lens.js';
import { accountCursor } from './timelines/eras.js';

/** Of those whom the viewer follows, how many are looked at for each account: one read each. */
const FOLLOWED_LOOKED_AT_MAX = 2_000;
/** Followers that are read instead of these: as many as are kept in memory. */
const FOLLOWERS_LOOKED_AT_MAX = 100;
/** Some may have come since they were counted. */
const FOLLOWERS_ROWS_MAX = 150;
const ALL = { before: undefined, after: undefined, upwards: false } as const;
/** How many are shown; clients show a few faces and the number. */
const FAMILIAR_SHOWN_MAX = 40;

/** Whom the viewer follows among an account's followers, unless either of them keeps their lists to themselves. */
export async function familiarFollowers(
  services: Services,
  viewer: string,
  lens: Lens,
  account: StoreAccountRecord,
): Promise<StoreAccountRecord[]> {
  const isHidden =
    account.profile?.hideCollections === true ||
    lens.blocks(account.id) ||
    !isPublished(account) ||
    isSuspended(account);
  if (isHidden || account.id === viewer) return [];
  const followed = lens.authors.filter((id) => id !== viewer && id !== account.id).slice(0, FOLLOWED_LOOKED_AT_MAX);
  const records = await loadAccounts(services, await followersAmong(services, account, followed));
  const shown: StoreAccountRecord[] = [];
  for (const record of records.values()) {
    if (shown.length === FAMILIAR_SHOWN_MAX) break;
    if (
      isPublished(record) &&
      !isSuspended(record) &&
      record.profile?.hideCollections !== true &&
      !lens.hides(record.id)
    )
      shown.push(record);
  }
  return shown;
}

/** Those of some accounts that follow this one: by its followers where they are few, else by what each of the others follows. */
async function followersAmong(
  { tables, clock }: Services,
  account: StoreAccountRecord,
  some: readonly string[],
): Promise<readonly string[]> {
  if (account.followers <= FOLLOWERS_LOOKED_AT_MAX && account.followers < some.length) {
    const rows = await accountCursor(tables, clock, followers, 'edge', account.id, ALL).next(FOLLOWERS_ROWS_MAX);
    if (rows.length < FOLLOWERS_ROWS_MAX) {
      const theirs = new Set(rows.map(({ value }) => value.accountId));
      return some.filter((id) => theirs.has(id));
    }
  }
  const keys = some.map((id) => ({ account: id, target: account.id }));
  const edges = await tables.getMany(following, keys);
  return some.filter((_, index) => edges[index]?.pending === false);
}
