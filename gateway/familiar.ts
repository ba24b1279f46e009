import type { StoreAccountRecord } from '../proto/gen/types.js';
import { following } from '../store/tables.js';
import { isPublished, isSuspended } from './entities/account.js';
import { loadAccounts } from './entities/status.js';
import type { Services } from './services.js';
import type { Lens } from './streaming/lens.js';

/** Of those whom the viewer follows, how many are looked at for each account: one read each. */
const FOLLOWED_LOOKED_AT_MAX = 2_000;
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
  const keys = followed.map((id) => ({ account: id, target: account.id }));
  const edges = await services.tables.getMany(following, keys);
  const familiar = followed.filter((_, index) => edges[index]?.pending === false);
  const records = await loadAccounts(services, familiar);
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
