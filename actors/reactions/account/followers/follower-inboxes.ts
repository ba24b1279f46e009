import { followerInboxes } from '../../../../store/federation-tables.js';
import { put, type RowWrite, remove, type Tables } from '../../../../store/port.js';
import { accounts } from '../../../../store/tables.js';
import type { AccountEvents, AccountState } from '../../../account/slices.js';
import { uriKey } from '../../../domain/text/uri-key.js';
import { sharedInboxOf } from '../../../federation/outgoing/audience.js';
import type { Effects, Happened, Reaction } from '../../../runtime/kind.js';

/** Keeps the inboxes of followers on other servers, so that a status goes out without a look at each follower. */
export function inboxesOfFollowers(tables: Pick<Tables, 'get'>): Reaction<AccountState, AccountEvents> {
  const write = async (
    follower: string,
    { self, state }: Happened<AccountState>,
    effects: Effects,
    row: (key: { account: string; inbox: string; follower: string }, inbox: string) => RowWrite,
  ) => {
    if (state.origin !== undefined || !state.isFollowedElsewhere) return;
    const record = await tables.get(accounts, { account: follower });
    if (record?.remote === undefined) return;
    const inbox = sharedInboxOf(record.remote);
    await effects.write([row({ account: self, inbox: uriKey(inbox), follower }, inbox)]);
  };
  return {
    surface: 'federation',
    beforeReply: true,
    on: {
      followerAdded: ({ follower }, now, effects) =>
        now.state.isFollowedElsewhere
          ? write(follower, now, effects, (key, inbox) => put(followerInboxes, key, { inbox }))
          : undefined,
      followerRemoved: ({ follower }, now, effects) =>
        now.state.isFollowedElsewhere
          ? write(follower, now, effects, (key) => remove(followerInboxes, key))
          : undefined,
    },
  };
}
