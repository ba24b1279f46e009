import type { HomeBounds, HomeIds } from '../../actors/timelines/ring-part.js';
import { accountStatuses } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import type { PageBounds } from '../paging/bounds.js';
import { AheadCursor, type Cursor, DistinctCursor, MergedCursor } from '../paging/cursor.js';
import { accountCursor } from '../paging/eras.js';
import { type Page, readPage, type Select } from '../paging/page.js';
import { type Soon, soon } from '../paging/soon.js';
import { tagsCursor } from '../paging/tags-cursor.js';
import { judge, PLACES, type Place, type StatusAudience } from '../viewing/judge.js';
import type { Lens } from '../viewing/lens.js';
import type { ReadServices } from '../viewing/read-services.js';
import { REPEAT_ROWS } from '../viewing/repeat-window.js';
import { visibleById } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';
import { Repeats, Shown } from './repeats.js';
import { RingCursor } from './ring-cursor.js';

/** Rows read ahead from each source: a page's worth with few sources, only what merging needs with many. */
const CHUNK_MAX = 20;
const CHUNK_MIN = 3;
/** Approximate rows read ahead from all sources together; bounds one request's memory to some megabytes. */
const READ_AHEAD_ROWS = 400;
/** Minimum number of rows examined, even for a shorter page: a round reads as many. */
const LOOKED_MIN = 10;

/** An id of the timeline that is not examined yet. */
export interface HomeEntry {
  readonly id: string;
  /** Known for merged rows: avoids loading statuses that are not shown. */
  readonly audience?: StatusAudience;
}

/**
 * Returns the viewer's own statuses and those of all followed accounts, newest first. Reads the viewer's ring, then
 * merges from the store below the end of the ring, or without a ring.
 */
export function homeTimeline(services: ReadServices, viewer: string, bounds: PageBounds): Soon<Page<VisibleStatus>> {
  const ask = { ...bounds, limit: Math.max(bounds.limit, LOOKED_MIN) + REPEAT_ROWS };
  return soon(services.lenses.home(viewer, ask), ({ view, part }) => {
    const { lens } = view;
    const cursor = new AheadCursor(wholeHome(services, viewer, lens, ask, part));
    const select = selectShown(services, viewer, lens, PLACES.home);
    const isOpen = bounds.after === undefined;
    // If reading ends at a bound, the rows below the bound still count for repeats.
    const below = (id: string, count: number) => {
      if (isOpen) return cursor.ahead(count);
      const span = { before: id, after: undefined, upwards: false, limit: count };
      return soon(services.lenses.home(viewer, span), (further) =>
        wholeHome(services, viewer, lens, span, further.part).next(count),
      );
    };
    const { upwards } = bounds;
    const repeats = new Repeats(services, upwards, select, below);
    // Rows that are hidden count among the forty, so a reblog and a status further below may be on the same page.
    const shown = new Shown();
    return readPage(cursor, bounds, (rows) =>
      soon(select(rows), (seen) => soon(repeats.without(rows, seen), (fresh) => shown.once(fresh, upwards))),
    );
  });
}

/** Returns the home timeline including followed hashtags, unfiltered. */
function wholeHome(
  services: Pick<Services, 'lenses' | 'tables' | 'clock'>,
  viewer: string,
  lens: Lens,
  bounds: HomeBounds,
  part: HomeIds,
): Cursor<HomeEntry> {
  const cursor = homeCursor(services, viewer, () => lens.authors, bounds, part);
  if (lens.followedTags.length === 0) return cursor;
  return withTags(cursor, tagsCursor(services.tables, lens.followedTags, bounds, CHUNK_MIN), bounds);
}

/** Returns the function that selects the statuses that the viewer sees in the home timeline or a list. */
export function selectShown(
  services: Pick<Services, 'lenses' | 'tables' | 'limits'>,
  viewer: string,
  lens: Lens,
  at: Place,
): Select<HomeEntry, VisibleStatus> {
  return (rows) => {
    const isKnown = rows.some(({ audience }) => audience !== undefined);
    const wanted = isKnown
      ? rows.filter(({ audience }) => audience === undefined || judge(audience, undefined, lens, at))
      : rows;
    const ids = wanted.map((row) => row.id);
    return soon(visibleById(services, viewer, ids, at, lens), (found) => {
      if (wanted.length === rows.length) return found;
      const byRow = new Map(wanted.map((row, index) => [row, found[index]]));
      return rows.map((row) => byRow.get(row));
    });
  };
}

/** Reads the viewer's home timeline, beginning with `part`. Below the ring it merges the statuses of `authors`. */
export function homeCursor(
  services: Pick<Services, 'lenses' | 'tables' | 'clock'>,
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

/** Merges all statuses of these authors, unfiltered. */
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

/**
 * Adds the statuses of followed hashtags. Drops the audience of merged rows, because it says nothing about statuses
 * that come by a hashtag.
 */
function withTags(
  home: Cursor<HomeEntry>,
  tagged: Cursor<{ readonly id: string }>,
  bounds: Pick<PageBounds, 'upwards'>,
): Cursor<HomeEntry> {
  const bare = { next: (count: number) => soon(home.next(count), (rows) => rows.map(({ id }) => ({ id }))) };
  return new DistinctCursor<HomeEntry>(new MergedCursor<HomeEntry>([bare, tagged], bounds.upwards, CHUNK_MAX));
}
