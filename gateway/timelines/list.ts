import type { Problem } from '../../actors/domain/problem.js';
import type { Services } from '../http/services.js';
import type { PageBounds } from '../paging/bounds.js';
import type { Cursor } from '../paging/cursor.js';
import { type Page, readPage } from '../paging/page.js';
import { type Soon, soon } from '../paging/soon.js';
import type { Audience } from '../viewing/lens.js';
import { loadStatuses, notFound, type VisibleStatus } from '../viewing/visible.js';
import { type HomeEntry, homeCursor, selectShown } from './home.js';
import { Shown } from './repeats.js';

/** Ids of the home looked at first for each status of a page: many are by members of the list, or they would be few. */
const SPARE = 2;
/** Ids of the home looked at a time after that. */
const LOOK_IDS = 80;

/**
 * What the members of one of the viewer's lists posted and reblogged, newest first: out of the ring of the viewer's
 * home, which holds it all, and merged from the members' own statuses where that ends.
 */
export function listTimeline(
  services: Services,
  viewer: string,
  listId: string,
  bounds: PageBounds,
): Soon<Page<VisibleStatus> | Problem> {
  const ask = { ...bounds, limit: bounds.limit * SPARE };
  return soon(services.lenses.home(viewer, ask), ({ view, part }) => {
    const { lens } = view;
    if (!lens.hasList(listId)) return notFound();
    const home = homeCursor(services, viewer, () => lens.listAuthors(listId), { ...ask, limit: LOOK_IDS }, part);
    const cursor = sifted(services, home, ask.limit, (author) => lens.listed(listId, author));
    const select = selectShown(services, viewer, view, (status: Audience) => lens.list(listId, status));
    const shown = new Shown();
    return readPage(cursor, bounds, (rows) => soon(select(rows), (seen) => shown.once(seen, bounds.upwards)));
  });
}

/** Those by these authors only. */
function sifted(
  services: Services,
  home: Cursor<HomeEntry>,
  first: number,
  isBy: (author: string) => boolean,
): Cursor<HomeEntry> {
  let ready: HomeEntry[] = [];
  let look = first;
  const next = (count: number): Soon<readonly HomeEntry[]> => {
    if (ready.length > 0) {
      const found = ready.slice(0, count);
      ready = ready.slice(count);
      return found;
    }
    return soon(home.next(look), (rows) => {
      if (rows.length === 0) return rows;
      look = LOOK_IDS;
      return soon(authorsOf(services, rows), (authors) => {
        ready = rows.filter((_row, index) => isBy(authors[index] ?? ''));
        // A ring's ids at most, and below it all are by these authors.
        return next(count);
      });
    });
  };
  return { next };
}

/** Who wrote each of these; undefined where it is gone. */
function authorsOf(services: Services, rows: readonly HomeEntry[]): Soon<(string | undefined)[]> {
  const unknown: string[] = [];
  for (const { id, audience } of rows) if (audience === undefined) unknown.push(id);
  return soon(loadStatuses(services, unknown), (records) => {
    let at = 0;
    return rows.map(({ audience }) => (audience ?? records[at++])?.accountId);
  });
}
