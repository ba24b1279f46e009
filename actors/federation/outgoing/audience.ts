import type { StoreRemoteActor } from '../../../proto/gen/types.js';
import { followerInboxes } from '../../../store/federation-tables.js';
import type { Tables } from '../../../store/port.js';
import { nextTurn } from '../delivery/pace.js';

/** Rows read at a time, in some 10 ms. Other work of the event loop runs in between. */
const READ_AT_ONCE = 1_000;

/** Returns the inbox that all accounts of the server share, or the account's own. Source: ActivityPub §7.1.3. */
export const sharedInboxOf = ({ sharedInbox, inbox }: StoreRemoteActor): string => sharedInbox || inbox;

/** Returns the inboxes of an account's followers on other servers, each once. @throws Unavailable */
export async function inboxesOfFollowersOf(tables: Pick<Tables, 'range'>, account: string): Promise<string[]> {
  const inboxes = new Set<string>();
  for (let after: { inbox: string; follower: string } | undefined, isMore = true; isMore; ) {
    const rows = await tables.range(
      followerInboxes,
      { account },
      { limit: READ_AT_ONCE, ...(after === undefined ? {} : { after }) },
    );
    for (const { value } of rows) inboxes.add(value.inbox);
    isMore = rows.length === READ_AT_ONCE;
    if (isMore) await nextTurn();
    const last = rows.at(-1)?.key;
    after = last && { inbox: last.inbox, follower: last.follower };
  }
  return [...inboxes];
}
