import type { Problem } from '../../actors/domain/problem.js';
import type { PageBounds } from '../http/paging.js';
import type { Services } from '../services.js';
import type { Audience } from '../streaming/lens.js';
import { loadStatuses, notFound, type VisibleStatus } from '../visible.js';
import type { Cursor } from './cursor.js';
import { type HomeEntry, homeCursor, selectShown } from './home.js';
import { type Page, readPage } from './page.js';

/** Ids of the home looked at a time for those of the list. */
const LOOK_IDS = 80;

/**
 * What the members of one of the viewer's lists posted and reblogged, newest first: out of the ring of the viewer's
 * home, which holds it all, and merged from the members' own statuses where that ends.
 */
export async function listTimeline(
  services: Services,
  viewer: string,
  listId: string,
  bounds: PageBounds,
): Promise<Page<VisibleStatus> | Problem> {
  const ask = { ...bounds, limit: LOOK_IDS };
  const { view, part } = await services.lenses.home(viewer, ask);
  const authors = view.lens.listAuthors(listId);
  if (authors === undefined) return notFound();
  const belongs = (status: Audience) => view.lens.list(listId, status);
  const cursor = sifted(
    services,
    homeCursor(services, viewer, () => authors, ask, part),
    new Set(authors),
  );
  return readPage(cursor, bounds, selectShown(services, viewer, view, belongs));
}

/** Those by these authors only. */
function sifted(services: Services, home: Cursor<HomeEntry>, authors: ReadonlySet<string>): Cursor<HomeEntry> {
  let ready: readonly HomeEntry[] = [];
  const look = async () => {
    const rows = await home.next(LOOK_IDS);
    const unknown = rows.flatMap(({ id, audience }) => (audience === undefined ? [id] : []));
    const records = await loadStatuses(services, unknown);
    const by = new Map(records.flatMap((record) => (record === undefined ? [] : [[record.id, record.accountId]])));
    ready = rows.filter(({ id, audience }) => authors.has(audience?.accountId ?? by.get(id) ?? ''));
    return rows.length > 0;
  };
  return {
    async next(count) {
      // A ring's ids at most, and below it all are by these authors.
      while (ready.length === 0 && (await look()));
      const found = ready.slice(0, count);
      ready = ready.slice(count);
      return found;
    },
  };
}
