import { isLocal, statusUri } from '../../../actors/domain/addresses.js';
import { EDGE_PAGE_MAX } from '../../../actors/domain/edge-page.js';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { bookmarks } from '../../../store/tables.js';
import type { Services } from '../../http/services.js';
import type { PageBounds } from '../../paging/bounds.js';
import { accountCursor } from '../../paging/eras.js';
import { readPage } from '../../paging/page.js';
import { readFollowing } from '../../timelines/follow-lists.js';
import { loadAccounts } from '../../viewing/people-at-hand.js';
import { answered, relationsTo, visibleById } from '../../viewing/visible.js';

/** Lists that a person takes along to another server. */
export const KINDS = ['follows', 'blocks', 'mutes', 'domain_blocks', 'bookmarks', 'lists'] as const;
export type Kind = (typeof KINDS)[number];

/** One entry of a list: the cells of its row, and the id by which the API undoes it. */
export interface OwnEntry {
  readonly id: string;
  readonly cells: readonly string[];
}

/** Bookmarks that are read: they are the only list without a limit of its own. */
const BOOKMARKS_MAX = 10_000;
const PAGE_MAX = 40;

interface EdgesPage {
  readonly ids: readonly string[];
  readonly oldest: string | undefined;
  readonly more: boolean;
}

/** Returns the whole list of a person, oldest entries first, without those that are deleted. @throws Unavailable */
export async function ownList(services: Services, viewer: string, kind: Kind): Promise<OwnEntry[]> {
  const entries = await READ[kind](services, viewer);
  return entries.reverse();
}

const READ: Readonly<Record<Kind, (services: Services, viewer: string) => Promise<OwnEntry[]>>> = {
  follows: async (services, viewer) => {
    const ids = await allPages(async (bounds) => {
      const { items, oldest, more } = await readFollowing(services, viewer, bounds);
      return { ids: items.map(({ accountId }) => accountId), oldest, more };
    });
    const relations = await relationsTo(services, viewer, ids);
    return people(services, ids, (id) => {
      const { reblogs = true, notify = false, limit } = relations.get(id) ?? {};
      return [String(reblogs), String(notify), limit?.languages.join(', ') ?? ''];
    });
  },
  blocks: async (services, viewer) => people(services, await edges(services, viewer, 'blocks')),
  mutes: async (services, viewer) => {
    const ids = await edges(services, viewer, 'mutes');
    const relations = await relationsTo(services, viewer, ids);
    return people(services, ids, (id) => [String(relations.get(id)?.mutingNotifications ?? true)]);
  },
  domain_blocks: async (services, viewer) => {
    const names = await allPages(async (bounds) => {
      const { domains, more } = answered(await services.askAccount(viewer, 'domainBlocks', bounds));
      return { ids: domains.map(({ domain }) => domain), oldest: domains.at(-1)?.edgeId, more };
    });
    return names.map((domain) => ({ id: domain, cells: [domain] }));
  },
  bookmarks: ownBookmarks,
  lists: async (services, viewer) => {
    const { lists } = answered(await services.askAccount(viewer, 'lists', {}));
    const rows: OwnEntry[] = [];
    for (const { id, title } of lists) {
      const ids = await allPages(async (bounds) =>
        edgesPage(answered(await services.askAccount(viewer, 'listMembers', { id, bounds }))),
      );
      const members = await people(services, ids);
      rows.push(...members.map(({ id: member, cells }) => ({ id: `${id}/${member}`, cells: [title, ...cells] })));
    }
    return rows;
  },
};

const edges = (services: Services, viewer: string, kind: 'blocks' | 'mutes') =>
  allPages(async (bounds) => edgesPage(answered(await services.askAccount(viewer, kind, bounds))));

const edgesPage = ({ edges: all, more }: { readonly edges: readonly Edge[]; readonly more: boolean }): EdgesPage => ({
  ids: all.map(({ account }) => account),
  oldest: all.at(-1)?.edgeId,
  more,
});
interface Edge {
  readonly account: string;
  readonly edgeId: string;
}

async function allPages(read: (bounds: PageBounds) => Promise<EdgesPage>): Promise<string[]> {
  const all: string[] = [];
  let before: string | undefined;
  for (let more = true; more; ) {
    const page = await read({ before, after: undefined, upwards: false, limit: EDGE_PAGE_MAX });
    all.push(...page.ids);
    before = page.oldest;
    more = page.more && before !== undefined;
  }
  return all;
}

async function people(services: Services, ids: readonly string[], more?: (id: string) => readonly string[]) {
  const records = await loadAccounts(services, ids);
  return ids.flatMap((id): OwnEntry[] => {
    const record = records.get(id);
    return record === undefined ? [] : [{ id, cells: [addressOf(services, record), ...(more?.(id) ?? [])] }];
  });
}

/** Returns `name@host`, for people of this server too: the list is for other servers. */
const addressOf = ({ instance }: Pick<Services, 'instance'>, record: StoreAccountRecord): string =>
  `${record.username}@${isLocal(record) ? instance.domain : record.domain}`;

async function ownBookmarks(services: Services, viewer: string): Promise<OwnEntry[]> {
  const rows: OwnEntry[] = [];
  let before: string | undefined;
  while (rows.length < BOOKMARKS_MAX) {
    const bounds: PageBounds = { before, after: undefined, upwards: false, limit: PAGE_MAX };
    const cursor = accountCursor(services.tables, services.clock, bookmarks, 'mark', viewer, bounds);
    const page = await readPage(cursor, bounds, (found) =>
      visibleById(
        services,
        viewer,
        found.map(({ value }) => value.statusId),
      ),
    );
    const authors = await loadAccounts(
      services,
      page.items.map(({ record }) => record.accountId),
    );
    for (const { record } of page.items) {
      const author = authors.get(record.accountId);
      if (author === undefined) continue;
      rows.push({ id: record.id, cells: [statusUri(services.instance.baseUrl, record, author)] });
    }
    before = page.oldest;
    if (!page.more || before === undefined) break;
  }
  return rows;
}
