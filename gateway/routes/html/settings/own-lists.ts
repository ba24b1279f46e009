import { isLocal, statusUri } from '../../../../actors/domain/addresses.js';
import { EDGE_PAGE_MAX } from '../../../../actors/domain/edge-page.js';
import { IMPORT_KINDS } from '../../../../actors/imports/imports.js';
import type { StoreAccountRecord } from '../../../../proto/gen/types.js';
import { bookmarks } from '../../../../store/tables.js';
import type { Services } from '../../../http/services.js';
import type { PageBounds } from '../../../paging/bounds.js';
import { accountCursor } from '../../../paging/eras.js';
import { readPage } from '../../../paging/page.js';
import { readFollowing } from '../../../timelines/follow-lists.js';
import { loadAccounts } from '../../../viewing/people-at-hand.js';
import { answered, relationsTo, visibleById } from '../../../viewing/visible.js';

/** Lists that a person takes along to another server. */
export const KINDS = IMPORT_KINDS;
export type Kind = (typeof KINDS)[number];
/** Returns the kind of a name; undefined if there is none. */
export const kindOf = (name: string | undefined): Kind | undefined => KINDS.find((one) => one === name);

/** One entry of a list: the cells of its row, and the id by which the API undoes it. */
export interface OwnEntry {
  readonly id: string;
  readonly cells: readonly string[];
}

/** Entries read at a time. Bounds the memory of a list without a limit of its own. */
const PAGE_MAX = 40;

interface EdgesPage {
  readonly ids: readonly string[];
  readonly oldest: string | undefined;
  readonly more: boolean;
}
/** A part of a list. */
type Some = AsyncGenerator<readonly OwnEntry[]>;

/**
 * Yields the whole list of a person in parts, newest entries first as in Mastodon's exports, without those that are
 * deleted. @throws Unavailable
 */
export const ownList = (services: Services, viewer: string, kind: Kind): Some => READ[kind](services, viewer);

const READ: Readonly<Record<Kind, (services: Services, viewer: string) => Some>> = {
  async *follows(services, viewer) {
    const pages = allPages(async (bounds) => {
      const { items, oldest, more } = await readFollowing(services, viewer, bounds);
      return { ids: items.map(({ accountId }) => accountId), oldest, more };
    });
    for await (const ids of pages) {
      const relations = await relationsTo(services, viewer, ids);
      yield people(services, ids, (id) => {
        const { reblogs = true, notify = false, limit } = relations.get(id) ?? {};
        return [String(reblogs), String(notify), limit?.languages.join(', ') ?? ''];
      });
    }
  },
  async *blocks(services, viewer) {
    for await (const ids of edges(services, viewer, 'blocks')) yield people(services, ids);
  },
  async *mutes(services, viewer) {
    for await (const ids of edges(services, viewer, 'mutes')) {
      const relations = await relationsTo(services, viewer, ids);
      yield people(services, ids, (id) => [String(relations.get(id)?.mutingNotifications ?? true)]);
    }
  },
  async *domain_blocks(services, viewer) {
    const pages = allPages(async (bounds) => {
      const { domains, more } = answered(await services.askAccount(viewer, 'domainBlocks', bounds));
      return { ids: domains.map(({ domain }) => domain), oldest: domains.at(-1)?.edgeId, more };
    });
    for await (const names of pages) yield names.map((domain) => ({ id: domain, cells: [domain] }));
  },
  bookmarks: ownBookmarks,
  async *lists(services, viewer) {
    const { lists } = answered(await services.askAccount(viewer, 'lists', {}));
    for (const { id, title } of lists) {
      const pages = allPages(async (bounds) =>
        edgesPage(answered(await services.askAccount(viewer, 'listMembers', { id, bounds }))),
      );
      for await (const ids of pages) {
        const members = await people(services, ids);
        yield members.map(({ id: member, cells }) => ({ id: `${id}/${member}`, cells: [title, ...cells] }));
      }
    }
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

async function* allPages(read: (bounds: PageBounds) => Promise<EdgesPage>): AsyncGenerator<readonly string[]> {
  let before: string | undefined;
  for (let more = true; more; ) {
    const page = await read({ before, after: undefined, upwards: false, limit: EDGE_PAGE_MAX });
    yield page.ids;
    before = page.oldest;
    more = page.more && before !== undefined;
  }
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

async function* ownBookmarks(services: Services, viewer: string): Some {
  let before: string | undefined;
  for (let more = true; more; ) {
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
    yield page.items.flatMap(({ record }): OwnEntry[] => {
      const author = authors.get(record.accountId);
      return author === undefined
        ? []
        : [{ id: record.id, cells: [statusUri(services.instance.baseUrl, record, author)] }];
    });
    before = page.oldest;
    more = page.more && before !== undefined;
  }
}
