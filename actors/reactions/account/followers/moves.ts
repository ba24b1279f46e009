import type { MovesMovedFollower, MovesMoveFollowers } from '../../../../proto/gen/types.js';
import type { ReadTables } from '../../../../store/port.js';
import { accounts, followers, following } from '../../../../store/tables.js';
import type { AccountEvents, AccountState } from '../../../account/slices.js';
import { accountUri, isLocal } from '../../../domain/addresses.js';
import { eraOfId, eraOfMs } from '../../../domain/ids.js';
import { queueActivity } from '../../../federation/delivery/queue.js';
import { inboxesOfFollowersOf } from '../../../federation/outgoing/audience.js';
import { moveActivity } from '../../../federation/outgoing/move.js';
import type { Effects, Happened, Reaction } from '../../../runtime/kind.js';
import { eraPages } from '../../era-pages.js';
import { tellAccount } from '../tells.js';

export interface MovesContext {
  readonly baseUrl: string;
  readonly tables: Tables;
}
type Tables = Pick<ReadTables, 'get' | 'range' | 'getMany'>;
type Now = Happened<AccountState>;
type Target = Pick<MovesMoveFollowers, 'target' | 'targetLocked'>;

/** Followers processed together, and at most recorded in one journal entry. */
const FOLLOWERS_AT_ONCE_MAX = 100;

/**
 * Lets the local followers of an account that moved follow the new one, after the reply. Those of other servers do so
 * there. A journal entry records the followers before they change: after a crash the commands are repeated in the same
 * order, as deduplication requires.
 */
export function movedFollowers({ baseUrl, tables }: MovesContext): Reaction<AccountState, AccountEvents> {
  const goOn = async (target: Target, after: string, now: Now, effects: Effects): Promise<void> => {
    const some = await nextOf(tables, now, target, after);
    if (some !== undefined) await tellAccount(effects, now.self, 'moveFollowers', some);
  };
  return {
    surface: 'moves',
    beforeReply: false,
    on: {
      async moved({ target, targetUri, targetLocked, atMs }, now, effects) {
        const own = await tables.get(accounts, { account: now.self });
        if (own !== undefined && isLocal(own)) {
          const uri = accountUri(baseUrl, own);
          const activity = moveActivity(uri, targetUri, atMs);
          const inboxes = await inboxesOfFollowersOf(tables, now.self);
          const signer = { id: now.self, uri };
          await queueActivity(tables, now, effects, { activity, inboxes, signer, order: now.self });
        }
        await goOn({ target, targetLocked }, '', now, effects);
      },
      async followersMoved({ target, targetLocked, after, followers: some }, now, effects) {
        for (const { account, reblogs, notify, limit } of some) {
          // In this order, so that somebody who follows as many as one can has room.
          await tellAccount(effects, account, 'unfollow', { target: now.self });
          await tellAccount(effects, account, 'follow', { target, targetLocked, reblogs, notify, limit });
        }
        await goOn({ target, targetLocked }, after, now, effects);
      },
    },
  };
}

function followersAfter(tables: Tables, { self, atMs }: Now, after: string) {
  const eras = [eraOfId(after === '' ? self : after), eraOfMs(atMs) + 1] as const;
  return eraPages(eras, after, FOLLOWERS_AT_ONCE_MAX, (era, edge, limit) =>
    tables.range(followers, { account: self, era }, { after: { edge }, limit }),
  );
}

/** Returns the next local followers; undefined after the last one. */
async function nextOf(tables: Tables, now: Now, target: Target, from: string): Promise<MovesMoveFollowers | undefined> {
  for (let after = from; ; ) {
    const rows = await followersAfter(tables, now, after);
    const last = rows.at(-1)?.key.edge;
    if (last === undefined) return undefined;
    after = last;
    const ids = rows.map(({ value }) => value.accountId).filter((id) => id !== target.target);
    const here = await localOf(tables, now.self, ids);
    if (here.length > 0) return { ...target, followers: here, after };
  }
}

/** Returns the local accounts among the followers, with the options of their follows. */
async function localOf(tables: Tables, self: string, ids: readonly string[]): Promise<MovesMovedFollower[]> {
  const [records, edges] = await Promise.all([
    tables.getMany(
      accounts,
      ids.map((account) => ({ account })),
    ),
    tables.getMany(
      following,
      ids.map((account) => ({ account, target: self })),
    ),
  ]);
  return ids.flatMap((account, index) => {
    const [record, edge] = [records[index], edges[index]];
    if (record === undefined || !isLocal(record)) return [];
    return [{ account, reblogs: edge?.reblogs ?? true, notify: edge?.notify ?? false, limit: edge?.limit }];
  });
}
