import type { HomeBounds, HomeIds } from '../../actors/timelines/ring-part.js';
import { accountStatuses } from '../../store/tables.js';
import type { PageBounds } from '../http/paging.js';
import type { Viewpoint } from '../lenses.js';
import type { Services } from '../services.js';
import { type Soon, soon } from '../soon.js';
import type { Audience } from '../streaming/lens.js';
import { type VisibleStatus, visibleById } from '../visible.js';
import { type Cursor, MergedCursor, OnceCursor } from './cursor.js';
import { accountCursor } from './eras.js';
import { type Page, readPage, type Select } from './page.js';
import { RingCursor } from './ring-cursor.js';
import { tagsCursor } from './tag.js';

/** Rows read ahead from each source: with few sources a page's worth, with many only what merging needs. */
const CHUNK_MAX = 20;
const CHUNK_MIN = 3;
/** Rows read ahead from all sources together, about; bounds one request's memory to some megabytes. */
const READ_AHEAD_ROWS = 400;
/** Ids asked of the ring besides as many as the page has: some are not for this viewer, and rounds read ten at least. */
const SPARE_MIN = 10;

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
  const ask = { ...bounds, limit: bounds.limit + Math.max(bounds.limit, SPARE_MIN) };
  return soon(services.lenses.home(viewer, ask), ({ view, part }) => {
    const belongs = (status: Audience) => view.lens.home(status);
    const cursor = homeCursor(services, viewer, () => view.lens.authors, ask, part);
    const tags = view.lens.followedTags;
    const all =
      tags.length === 0 ? cursor : withTags(cursor, tagsCursor(services.tables, tags, bounds, CHUNK_MIN), bounds);
    return readPage(all, bounds, selectShown(services, viewer, view, bounds, belongs));
  });
}

/** What of a timeline its viewer sees: what belongs there, is visible, and is not on the page already. */
export function selectShown(
  services: Services,
  viewer: string,
  { relations }: Viewpoint,
  { upwards }: Pick<PageBounds, 'upwards'>,
  belongs: (status: Audience) => boolean,
): Select<HomeEntry, VisibleStatus> {
  const shown = new Shown();
  return (rows) => {
    const isKnown = rows.some(({ audience }) => audience !== undefined);
    const wanted = isKnown ? rows.filter(({ audience }) => audience === undefined || belongs(audience)) : rows;
    const ids = wanted.map((row) => row.id);
    return soon(visibleById(services, viewer, ids, { relations, hideBlocked: true, context: 'home' }), (found) => {
      const selected = shown.once(
        found.map((status) => (status !== undefined && belongs(status.record) ? status : undefined)),
        upwards,
      );
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
  bounds: PageBounds,
): Cursor<HomeEntry> {
  const bare = { next: (count: number) => soon(home.next(count), (rows) => rows.map(({ id }) => ({ id }))) };
  return new OnceCursor<HomeEntry>(new MergedCursor<HomeEntry>([bare, tagged], bounds.upwards, CHUNK_MAX));
}

/**
 * What the page already shows, as itself or as somebody's reblog: a reblog of it is not shown again. Of what is read
 * together the oldest stays, whichever way is read, as in Mastodon's feeds: what has been seen does not come to the top.
 */
class Shown {
  readonly #all: string[] = [];
  /** Made when the first reblog asks: on most pages nobody does. */
  #known: Set<string> | undefined;

  /** `statuses` without the reblogs of what is shown. */
  once(statuses: readonly (VisibleStatus | undefined)[], upwards: boolean): readonly (VisibleStatus | undefined)[] {
    if (upwards) return statuses.map((status) => this.#first(status));
    const selected = [...statuses];
    for (let at = selected.length - 1; at >= 0; at--) selected[at] = this.#first(selected[at]);
    return selected;
  }

  #first(status: VisibleStatus | undefined): VisibleStatus | undefined {
    if (status === undefined) return undefined;
    const { record, original } = status;
    const gist = record.reblogOfId ?? record.id;
    if (original !== undefined) {
      this.#known ??= new Set(this.#all);
      if (this.#known.has(gist)) return undefined;
    }
    this.#known?.add(gist);
    this.#all.push(gist);
    return status;
  }
}
