import { RANGE_LIMIT_MAX, type ReadTables } from '../../store/port.js';
import { accounts, followers } from '../../store/tables.js';
import type { AccountEvents, AccountState } from '../account/commands.js';
import { eraOfId, makeId } from '../domain/ids.js';
import type { Reaction } from '../runtime/kind.js';
import { tellAccount } from './account-tells.js';

type Tables = Pick<ReadTables, 'range' | 'getMany'>;

/**
 * Behind the reply: the follows from and to a domain end, one by one, as if each had been ended by hand: the other side
 * is told, and what has ended once does not end again.
 */
export function domainParting(tables: Tables): Reaction<AccountState, AccountEvents> {
  return {
    surface: 'domains',
    beforeReply: false,
    on: {
      async domainParted({ domain, following, atMs }, { self, state }, effects) {
        for await (const edges of followersOf(tables, self, atMs)) {
          const there = await livingAt(tables, domain, edges);
          for (const { account, edgeId } of there)
            await tellAccount(effects, self, 'dropFollower', { follower: account, edgeId });
        }
        if (!following) return;
        const followed = [...state.following.values()].map(({ target, edgeId }) => ({ account: target, edgeId }));
        for (let from = 0; from < followed.length; from += RANGE_LIMIT_MAX) {
          const there = await livingAt(tables, domain, followed.slice(from, from + RANGE_LIMIT_MAX));
          for (const { account } of there) await tellAccount(effects, self, 'unfollow', { target: account });
        }
      },
    },
  };
}

interface Edge {
  readonly account: string;
  readonly edgeId: string;
}

/** As their rows say, some at a time. */
async function* followersOf(tables: Tables, self: string, untilMs: number): AsyncGenerator<Edge[]> {
  for (let era = eraOfId(self); era <= eraOfId(makeId(untilMs, 0, 0)); era++) {
    let after = '0';
    for (;;) {
      const page = { after: { edge: after }, limit: RANGE_LIMIT_MAX };
      const rows = await tables.range(followers, { account: self, era }, page);
      yield rows.map(({ key, value }) => ({ account: value.accountId, edgeId: key.edge }));
      const last = rows.at(-1);
      if (last === undefined || rows.length < RANGE_LIMIT_MAX) break;
      after = last.key.edge;
    }
  }
}

async function livingAt(tables: Tables, domain: string, edges: readonly Edge[]): Promise<Edge[]> {
  if (edges.length === 0) return [];
  const keys = edges.map(({ account }) => ({ account }));
  const records = await tables.getMany(accounts, keys);
  return edges.filter((_, index) => records[index]?.domain === domain);
}
