import type { Problem } from '../../actors/domain/problem.js';
import type { Services } from '../http/services.js';
import type { PageBounds } from '../paging/bounds.js';
import type { Cursor } from '../paging/cursor.js';
import { type Page, readPage } from '../paging/page.js';
import { type Soon, soon } from '../paging/soon.js';
import { inList } from '../viewing/judge.js';
import type { ReadServices } from '../viewing/read-services.js';
import { loadStatuses, notFound } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';
import { type HomeEntry, homeCursor, selectShown } from './home.js';
import { Shown } from './repeats.js';

/** Ids of the home timeline read first for each status of a page. Members of the list usually wrote many of them. */
const SPARE = 2;
/** Ids of the home timeline read at a time after that. */
const LOOK_IDS = 80;

/**
 * Returns the statuses and reblogs of a list's members, newest first. Reads the ring of the viewer's home timeline,
 * which contains all of them, then merges the members' own statuses below its end.
 */
export function listTimeline(
  services: ReadServices,
  viewer: string,
  listId: string,
  bounds: PageBounds,
): Soon<Page<VisibleStatus> | Problem> {
  const ask = { ...bounds, limit: bounds.limit * SPARE };
  return soon(services.lenses.home(viewer, ask), ({ view, part }) => {
    const { lens } = view;
    if (lens.listOf(listId) === undefined) return notFound();
    const home = homeCursor(services, viewer, () => lens.listAuthors(listId), { ...ask, limit: LOOK_IDS }, part);
    const cursor = sifted(services, home, ask.limit, (author) => lens.listed(listId, author));
    const select = selectShown(services, viewer, lens, inList(listId));
    const shown = new Shown();
    return readPage(cursor, bounds, (rows) => soon(select(rows), (seen) => shown.once(seen, bounds.upwards)));
  });
}

/** Filters a home timeline by author. */
function sifted(
  services: Pick<Services, 'tables'>,
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
        // The recursion is bounded by the ring's ids, and below the ring all rows match.
        return next(count);
      });
    });
  };
  return { next };
}

/** Returns the author of each row; undefined if the status is deleted. */
function authorsOf(services: Pick<Services, 'tables'>, rows: readonly HomeEntry[]): Soon<(string | undefined)[]> {
  const unknown: string[] = [];
  for (const { id, audience } of rows) if (audience === undefined) unknown.push(id);
  return soon(loadStatuses(services, unknown), (records) => {
    let at = 0;
    return rows.map(({ audience }) => (audience ?? records[at++])?.accountId);
  });
}
