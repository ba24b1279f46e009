import type { AccountPartedEdge, AccountPartSome } from '../../../../proto/gen/types.js';
import type { ReadTables } from '../../../../store/port.js';
import { accounts, followers } from '../../../../store/tables.js';
import type { AccountEvents, AccountState } from '../../../account/slices.js';
import { eraOfId, eraOfMs } from '../../../domain/ids.js';
import type { Effects, Happened, Reaction } from '../../../runtime/kind.js';
import { eraPages } from '../../era-pages.js';
import { tellAccount } from '../tells.js';

type Tables = Pick<ReadTables, 'range' | 'getMany'>;
type Now = Happened<AccountState>;

/** Edges processed together, and at most recorded in one journal entry. */
const EDGES_AT_ONCE_MAX = 100;
const PHASES = ['followers', 'requests', 'following'] as const;
type Phase = (typeof PHASES)[number];

interface Parting {
  readonly domain: string;
  /** True when follows by the account end, too. */
  readonly following: boolean;
  /** Id of the block that causes it. */
  readonly blockId?: string | undefined;
}

/** Numbers of follows that it has ended so far. */
interface Ended {
  readonly followers: number;
  readonly followed: number;
}

/**
 * Ends the follows from and to a domain after the reply. The other side is notified as if each had been ended alone.
 * A journal entry records the edges before they end: after a crash the commands are repeated in the same order, as
 * deduplication requires.
 */
export function domainParting(tables: Tables): Reaction<AccountState, AccountEvents> {
  const goOn = async (
    parting: Parting & Ended,
    phase: Phase,
    after: string,
    now: Now,
    effects: Effects,
  ): Promise<void> => {
    const some = await nextOf(tables, now, parting, phase, after);
    if (some !== undefined) await tellAccount(effects, now.self, 'partSome', some);
    else await tellEnd(parting, now, effects);
  };
  return {
    surface: 'domains',
    beforeReply: false,
    on: {
      domainParted: (event, now, effects) => goOn({ ...event, followers: 0, followed: 0 }, PHASES[0], '', now, effects),
      async someParted(event, now, effects) {
        const phase = PHASES.find((one) => one === event.phase);
        if (phase === undefined) return;
        for (const edge of event.edges) await END[phase](edge, now.self, effects);
        await goOn(event, phase, event.after, now, effects);
      },
    },
  };
}

const END: { readonly [P in Phase]: (edge: AccountPartedEdge, self: string, effects: Effects) => Promise<unknown> } = {
  followers: ({ account, edgeId }, self, effects) =>
    tellAccount(effects, self, 'dropFollower', { follower: account, edgeId }),
  requests: ({ account }, self, effects) => tellAccount(effects, self, 'rejectFollow', { follower: account }),
  following: ({ account }, self, effects) => tellAccount(effects, self, 'unfollow', { target: account }),
};

const FIND: { readonly [P in Phase]: (tables: Tables, now: Now, after: string) => Promise<AccountPartedEdge[]> } = {
  async followers(tables, { self, atMs }, after) {
    const eras = [eraOfId(after === '' ? self : after), eraOfMs(atMs) + 1] as const;
    const rows = await eraPages(eras, after, EDGES_AT_ONCE_MAX, (era, edge, limit) =>
      tables.range(followers, { account: self, era }, { after: { edge }, limit }),
    );
    return rows.map(({ key, value }) => ({ account: value.accountId, edgeId: key.edge }));
  },
  requests: async (_tables, { state }, after) =>
    inOrder(
      Array.from(state.requests, ([account, { edgeId }]) => ({ account, edgeId })),
      after,
    ),
  following: async (_tables, { state }, after) =>
    inOrder(
      Array.from(state.following, ([account, { edgeId }]) => ({ account, edgeId })),
      after,
    ),
};

/** Notifies the account of the ended follows. Source: Mastodon AfterBlockDomainFromAccountService. */
async function tellEnd(
  { domain, blockId, followers: lost, followed }: Parting & Ended,
  { self, atMs }: Now,
  effects: Effects,
): Promise<void> {
  if (blockId === undefined || lost + followed === 0) return;
  const ended = { followers: lost, following: followed, createdAtMs: atMs };
  const severance = { id: blockId, type: 'user_domain_block', targetName: domain, ...ended };
  await tellAccount(effects, self, 'notify', { type: 'severed_relationships', from: self, severance });
}

/** Returns the next edges to or from the domain, in this phase or the next one that has any. */
async function nextOf(
  tables: Tables,
  now: Now,
  parting: Parting & Ended,
  phase: Phase,
  from: string,
): Promise<AccountPartSome | undefined> {
  const { domain, following, blockId } = parting;
  for (let [place, after] = [PHASES.indexOf(phase), from]; place < PHASES.length; ) {
    const kind = PHASES[place] as Phase;
    if (kind === 'following' && !following) return undefined;
    const found = await FIND[kind](tables, now, after);
    const last = found.at(-1)?.edgeId;
    const edges = await livingAt(tables, domain, found);
    if (edges.length > 0) {
      const lost = parting.followers + (kind === 'followers' ? edges.length : 0);
      const followed = parting.followed + (kind === 'following' ? edges.length : 0);
      return { domain, following, blockId, phase: kind, edges, after: last ?? '', followers: lost, followed };
    }
    [place, after] = last === undefined ? [place + 1, ''] : [place, last];
  }
  return undefined;
}

function inOrder(edges: readonly AccountPartedEdge[], after: string): AccountPartedEdge[] {
  return edges
    .filter(({ edgeId }) => edgeId > after)
    .sort((a, b) => (a.edgeId < b.edgeId ? -1 : 1))
    .slice(0, EDGES_AT_ONCE_MAX);
}

async function livingAt(
  tables: Tables,
  domain: string,
  edges: readonly AccountPartedEdge[],
): Promise<AccountPartedEdge[]> {
  if (edges.length === 0) return [];
  const keys = edges.map(({ account }) => ({ account }));
  const records = await tables.getMany(accounts, keys);
  return edges.filter((_, index) => records[index]?.domain === domain);
}
