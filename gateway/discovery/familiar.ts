import type { StoreAccountEdge, StoreAccountRecord } from '../../proto/gen/types.js';
import { accounts, followers, following } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import type { Entry } from '../paging/cursor.js';
import { type Soon, soon } from '../paging/soon.js';
import { ACCOUNT_PLACES, showsAccount } from '../viewing/judge-accounts.js';
import type { Lens } from '../viewing/lens.js';
import { loadAccounts } from '../viewing/people-at-hand.js';

/** Followed accounts of the viewer that are checked for each account: one read each. */
const FOLLOWED_LOOKED_AT_MAX = 2_000;
/** Largest number of followers that are read instead: as many as the cache holds. */
const FOLLOWERS_LOOKED_AT_MAX = 100;
/** Rows to read: some followers may be newer than the count. */
const FOLLOWERS_ROWS_MAX = 150;
const NOBODY: readonly StoreAccountRecord[] = [];
/** Followers shown; clients show a few avatars and the number. */
const FAMILIAR_SHOWN_MAX = 40;

/**
 * Returns the followers of an account whom the viewer follows. The account, and each follower, may have hidden its
 * lists.
 */
export function familiarFollowers(
  services: Pick<Services, 'latestRows' | 'tables'>,
  viewer: string,
  lens: Lens,
  account: StoreAccountRecord,
): Soon<readonly StoreAccountRecord[]> {
  const isHidden = account.profile?.hideCollections === true || !showsAccount(account, lens, ACCOUNT_PLACES.page);
  if (isHidden || account.id === viewer) return NOBODY;
  return soon(followersAmong(services, viewer, lens, account), (familiar) => {
    const atHand: StoreAccountRecord[] = [];
    for (const id of familiar) {
      const record = services.tables.peekId?.(accounts, id);
      if (record === undefined) return soon(loadAccounts(services, familiar), (all) => shownOf(lens, all.values()));
      atHand.push(record);
    }
    return shownOf(lens, atHand);
  });
}

/** Returns the first followers that may be shown to the viewer. */
function shownOf(lens: Lens, records: Iterable<StoreAccountRecord>): readonly StoreAccountRecord[] {
  const shown: StoreAccountRecord[] = [];
  for (const record of records) {
    if (shown.length === FAMILIAR_SHOWN_MAX) break;
    if (record.profile?.hideCollections === true) continue;
    if (showsAccount(record, lens, ACCOUNT_PLACES.familiar)) shown.push(record);
  }
  return shown;
}

/**
 * Returns the ids of followers whom the viewer follows. Reads the account's followers if there are few, otherwise the
 * edges from the accounts that the viewer follows.
 */
function followersAmong(
  services: Pick<Services, 'latestRows' | 'tables'>,
  viewer: string,
  lens: Lens,
  account: StoreAccountRecord,
): Soon<readonly string[]> {
  if (account.followers > FOLLOWERS_LOOKED_AT_MAX) return followersByEdges(services, viewer, lens, account);
  const rows = services.latestRows.of(followers, 'edge', account.id, FOLLOWERS_ROWS_MAX);
  return soon(rows, (found) => {
    if (found.length >= FOLLOWERS_ROWS_MAX) return followersByEdges(services, viewer, lens, account);
    const ids: string[] = [];
    for (const id of idsOf(found)) if (lens.follows(id) && id !== viewer && id !== account.id) ids.push(id);
    return ids;
  });
}

/** Follower ids by rows. The rows are a new array whenever one of them changes. */
const followerIds = new WeakMap<readonly Entry<StoreAccountEdge>[], readonly string[]>();

function idsOf(rows: readonly Entry<StoreAccountEdge>[]): readonly string[] {
  let ids = followerIds.get(rows);
  if (ids === undefined) {
    ids = rows.map(({ value }) => value.accountId);
    followerIds.set(rows, ids);
  }
  return ids;
}

async function followersByEdges(
  { tables }: Pick<Services, 'tables'>,
  viewer: string,
  lens: Lens,
  account: StoreAccountRecord,
): Promise<readonly string[]> {
  const isAsked = (id: string) => id !== viewer && id !== account.id;
  const followed = lens.authors.filter(isAsked).slice(0, FOLLOWED_LOOKED_AT_MAX);
  const keys = followed.map((id) => ({ account: id, target: account.id }));
  const edges = await tables.getMany(following, keys);
  return followed.filter((_, index) => edges[index]?.pending === false);
}
