import type { HomeBounds, HomeIds } from '../../actors/timelines/ring-part.js';
import { accountStatuses } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import type { PageBounds } from '../paging/bounds.js';
import { AheadCursor, type Cursor, MergedCursor, OnceCursor } from '../paging/cursor.js';
import { accountCursor } from '../paging/eras.js';
import { type Page, readPage, type Select } from '../paging/page.js';
import { type Soon, soon } from '../paging/soon.js';
import type { Audience, Lens } from '../viewing/lens.js';
import type { Viewpoint } from '../viewing/lenses.js';
import { type VisibleStatus, visibleById } from '../viewing/visible.js';
import { REPEAT_ROWS, Repeats, Shown } from './repeats.js';
import { RingCursor } from './ring-cursor.js';
import { tagsCursor } from './tag.js';

/** Rows read ahead from each source: with few sources a page's worth, with many only what merging needs. */
const CHUNK_MAX = 20;
const CHUNK_MIN = 3;
/** Rows read ahead from all sources together, about; bounds one request's memory to some megabytes. */
const READ_AHEAD_ROWS = 400;
/** Rows looked at, at least, if the page is shorter: rounds read as many. */
const LOOKED_MIN = 10;

/** An id of the timeline, not yet looked at. */
export interface HomeEntry {
  readonly id: string;
  /** Known of what was merged: it saves loading what will not be shown. */
  readonly audience?: Audience;
}

/**
 * Own statuses and those of everyone followed, newest first: out of the viewer's ring, and merged from the store
 * where that ends, or there is none.
 */
export function homeTimeline(services: Services, viewer: string, bounds: PageBounds): Soon<Page<VisibleStatus>> {
  const ask = { ...bounds, limit: Math.max(bounds.limit, LOOKED_MIN) + REPEAT_ROWS };
  return soon(services.lenses.home(viewer, ask), ({ view, part }) => {
    const { lens } = view;
    const cursor = new AheadCursor(wholeHome(services, viewer, lens, ask, part));
    const select = selectShown(services, viewer, view, (status: Audience) => lens.home(status));
    const isOpen = bounds.after === undefined;
    // Where reading ends at a bound, what is below that counts all the same.
    const below = (id: string, count: number) => {
      if (isOpen) return cursor.ahead(count);
      const span = { before: id, after: undefined, upwards: false, limit: count };
      return soon(services.lenses.home(viewer, span), (further) =>
        wholeHome(services, viewer, lens, span, further.part).next(count),
      );
    };
    const { upwards } = bounds;
    const repeats = new Repeats(services, upwards, select, below);
    // Rows that are not shown count among the forty, so that what is further below may be on the same page.
    const shown = new Shown();
    return readPage(cursor, bounds, (rows) =>
      soon(select(rows), (seen) => soon(repeats.without(rows, seen), (fresh) => shown.once(fresh, upwards))),
    );
  });
}

/** The home with what comes by followed hashtags, unfiltered. */
function wholeHome(
  services: Services,
  viewer: string,
  lens: Lens,
  bounds: HomeBounds,
  part: HomeIds,
): Cursor<HomeEntry> {
  const cursor = homeCursor(services, viewer, () => lens.authors, bounds, part);
  if (lens.followedTags.length === 0) return cursor;
  return withTags(cursor, tagsCursor(services.tables, lens.followedTags, bounds, CHUNK_MIN), bounds);
}

/** What of a timeline its viewer sees: what belongs there and is visible. */
export function selectShown(
  services: Services,
  viewer: string,
  { relations }: Viewpoint,
  belongs: (status: Audience) => boolean,
): Select<HomeEntry, VisibleStatus> {
  return (rows) => {
    const isKnown = rows.some(({ audience }) => audience !== undefined);
    const wanted = isKnown ? rows.filter(({ audience }) => audience === undefined || belongs(audience)) : rows;
    const ids = wanted.map((row) => row.id);
    return soon(visibleById(services, viewer, ids, { relations, hideBlocked: true, context: 'home' }), (found) => {
      const selected = found.map((status) => (status !== undefined && belongs(status.record) ? status : undefined));
      if (wanted.length === rows.length) return selected;
      const byRow = new Map(wanted.map((row, index) => [row, selected[index]]));
      return rows.map((row) => byRow.get(row));
    });
  };
}

/** The viewer's home, of which a part is at hand; below the ring it goes on with the merge of `authors`. */
export function homeCursor(
  services: Services,
  viewer: string,
  authors: () => readonly string[],
  bounds: HomeBounds,
  part: HomeIds,
): Cursor<HomeEntry> {
  return new RingCursor<HomeEntry>(part, bounds, {
    ask: (next) => soon(services.lenses.home(viewer, next), ({ part: further }) => further),
    merge: (next) => mergedCursor(services, authors(), next),
  });
}

/** Everything of these authors, unfiltered. */
export function mergedCursor(
  { tables, clock }: Pick<Services, 'tables' | 'clock'>,
  authors: readonly string[],
  bounds: Omit<PageBounds, 'limit'>,
): Cursor<HomeEntry> {
  const chunk = Math.max(CHUNK_MIN, Math.min(CHUNK_MAX, Math.floor(READ_AHEAD_ROWS / Math.max(1, authors.length))));
  const cursors = authors.map((accountId) => {
    const cursor = accountCursor(tables, clock, accountStatuses, 'status', accountId, bounds);
    const next = (count: number) =>
      soon(cursor.next(count), (rows) =>
        rows.map(({ id, value }) => {
          const mentions = value.mentionIds.map((mentioned) => ({ accountId: mentioned }));
          return { id, audience: { ...value, accountId, mentions } };
        }),
      );
    return { next };
  });
  return new MergedCursor(cursors, bounds.upwards, chunk);
}

/** What comes by followed hashtags, too. Whatever was known of its audience: what a hashtag brings is for everyone. */
function withTags(
  home: Cursor<HomeEntry>,
  tagged: Cursor<{ readonly id: string }>,
  bounds: Pick<PageBounds, 'upwards'>,
): Cursor<HomeEntry> {
  const bare = { next: (count: number) => soon(home.next(count), (rows) => rows.map(({ id }) => ({ id }))) };
  return new OnceCursor<HomeEntry>(new MergedCursor<HomeEntry>([bare, tagged], bounds.upwards, CHUNK_MAX));
}
