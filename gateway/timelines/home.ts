import type { HomeBounds, HomeIds } from '../../actors/timelines/home-rings.js';
import { accountStatuses } from '../../store/tables.js';
import type { PageBounds } from '../http/paging.js';
import type { Viewpoint } from '../lenses.js';
import type { Services } from '../services.js';
import type { Audience } from '../streaming/lens.js';
import { type VisibleStatus, visibleById } from '../visible.js';
import { type Cursor, MergedCursor } from './cursor.js';
import { accountCursor } from './eras.js';
import { type Page, readPage, type Select } from './page.js';

/** Rows read ahead from each source: with few sources a page's worth, with many only what merging needs. */
const CHUNK_MAX = 20;
const CHUNK_MIN = 3;
/** Rows read ahead from all sources together, about; bounds one request's memory to some megabytes. */
const READ_AHEAD_ROWS = 400;
/** Ids asked of the ring for each status of the page: some are not for this viewer. */
const SPARE = 2;

/** An id of the timeline, not yet looked at. */
interface HomeEntry {
  readonly id: string;
  /** Known of what was merged: it saves loading what will not be shown. */
  readonly audience?: Audience;
}

/**
 * Own statuses and those of everyone followed, newest first: out of the viewer's ring, and merged from the store
 * where that ends, or there is none.
 */
export async function homeTimeline(
  services: Services,
  viewer: string,
  bounds: PageBounds,
): Promise<Page<VisibleStatus>> {
  const ask = { ...bounds, limit: bounds.limit * SPARE };
  const { view, part } = await services.lenses.home(viewer, ask);
  const belongs = (status: Audience) => view.lens.home(status);
  const cursor = new HomeCursor(services, viewer, view, ask, part);
  return readPage(cursor, bounds, selectShown(services, viewer, view, belongs));
}

/** What of a timeline its viewer sees: what belongs there, is visible, and is not on the page already. */
export function selectShown(
  services: Services,
  viewer: string,
  { relations }: Viewpoint,
  belongs: (status: Audience) => boolean,
): Select<HomeEntry, VisibleStatus> {
  const shown = new Set<string>();
  return async (rows) => {
    const wanted = rows.filter(({ audience }) => audience === undefined || belongs(audience));
    const ids = wanted.map((row) => row.id);
    const found = await visibleById(services, viewer, ids, { relations, hideBlocked: true });
    const selected = found.map((status) =>
      status !== undefined && belongs(status.record) ? once(shown, status) : undefined,
    );
    if (wanted.length === rows.length) return selected;
    const byRow = new Map(wanted.map((row, index) => [row, selected[index]]));
    return rows.map((row) => byRow.get(row));
  };
}

/** Ids of the ring, then of the merge, each once. */
class HomeCursor implements Cursor<HomeEntry> {
  #ids: readonly string[];
  #rest: HomeIds['rest'];
  #merge: Cursor<HomeEntry> | undefined;
  #bounds: HomeBounds;
  #floor: string | undefined;

  constructor(
    private readonly services: Services,
    private readonly viewer: string,
    private readonly view: Viewpoint,
    bounds: HomeBounds,
    part: HomeIds,
  ) {
    this.#bounds = bounds;
    this.#ids = part.ids;
    this.#rest = part.rest;
    this.#floor = part.floor;
  }

  async next(count: number): Promise<readonly HomeEntry[]> {
    const found: HomeEntry[] = [];
    while (found.length < count) {
      if (this.#ids.length > 0) {
        const wanted = count - found.length;
        for (const id of this.#ids.slice(0, wanted)) found.push({ id });
        this.#passed(this.#ids.slice(0, wanted).at(-1));
        this.#ids = this.#ids.slice(wanted);
      } else if (this.#rest === 'ring') await this.#askAgain();
      else if (this.#rest === 'end') break;
      else {
        this.#merge ??= this.#merged();
        const rows = await this.#merge.next(count - found.length);
        if (rows.length === 0) break;
        found.push(...rows);
      }
    }
    return found;
  }

  #passed(id: string | undefined): void {
    if (id === undefined) return;
    this.#bounds = this.#bounds.upwards ? { ...this.#bounds, after: id } : { ...this.#bounds, before: id };
  }

  async #askAgain(): Promise<void> {
    const { part } = await this.services.lenses.home(this.viewer, this.#bounds);
    this.#ids = part.ids;
    this.#rest = part.rest;
    this.#floor = part.floor;
  }

  #merged(): Cursor<HomeEntry> {
    const { before, upwards } = this.#bounds;
    const isAbove = this.#rest === 'store' && !upwards && this.#floor !== undefined;
    const belowFloor = isAbove && (before === undefined || before > (this.#floor ?? '')) ? this.#floor : before;
    return mergedCursor(this.services, this.view.lens.authors, { ...this.#bounds, before: belowFloor });
  }
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
    const next = async (count: number) =>
      (await cursor.next(count)).map(({ id, value }) => {
        const mentions = value.mentionIds.map((mentioned) => ({ accountId: mentioned }));
        return { id, audience: { ...value, accountId, mentions } };
      });
    return { next };
  });
  return new MergedCursor(cursors, bounds.upwards, chunk);
}

/** A reblog of what the page already shows, as itself or as somebody else's reblog, is not shown again. */
function once(shown: Set<string>, status: VisibleStatus): VisibleStatus | undefined {
  const gist = status.record.reblogOfId ?? status.record.id;
  if (status.original !== undefined && shown.has(gist)) return undefined;
  shown.add(gist);
  return status;
}
