import type { AccountSources, StoreAccountStatusRow } from '../../proto/gen/types.js';
import { accountStatuses } from '../../store/tables.js';
import type { PageBounds } from '../http/paging.js';
import type { Services } from '../services.js';
import { Lens } from '../streaming/lens.js';
import { answered, relationsFrom, type VisibleStatus, visibleById } from '../visible.js';
import { type Cursor, type Entry, MergedCursor } from './cursor.js';
import { accountCursor } from './eras.js';
import { type Page, readPage } from './page.js';

/** A row of account_statuses with whose it is. */
interface HomeEntry extends Entry<StoreAccountStatusRow> {
  readonly accountId: string;
}

/** Rows read ahead from each source: with few sources a page's worth, with many only what merging needs. */
const CHUNK_MAX = 20;
const CHUNK_MIN = 3;
/** Rows read ahead from all sources together, about; bounds one request's memory to some megabytes. */
const READ_AHEAD_ROWS = 400;

/** Own statuses and those of everyone followed, newest first, merged when read. */
export async function homeTimeline(
  services: Services,
  viewer: string,
  bounds: PageBounds,
): Promise<Page<VisibleStatus>> {
  const sources = answered(await services.askAccount(viewer, 'sources', {}));
  const lens = new Lens(viewer, sources);
  const relations = relationsFrom(sources);
  const shown = new Set<string>();
  return readPage(homeCursor(services, viewer, sources, bounds), bounds, async (rows) => {
    const wanted = rows.filter((row) => lens.home(audience(row)));
    const ids = wanted.map((row) => row.id);
    const found = await visibleById(services, viewer, ids, { relations, hideBlocked: true });
    const byId = new Map(found.flatMap((status) => (status === undefined ? [] : [[status.record.id, status]])));
    return rows.map((row) => once(shown, byId.get(row.id)));
  });
}

/** Everything of the sources, unfiltered. */
function homeCursor(
  services: Services,
  viewer: string,
  sources: AccountSources,
  bounds: PageBounds,
): Cursor<HomeEntry> {
  const followed = sources.following.flatMap((edge) => (edge.pending ? [] : [edge.target]));
  const authors = [viewer, ...followed.filter((id) => id !== viewer)];
  const chunk = Math.max(CHUNK_MIN, Math.min(CHUNK_MAX, Math.floor(READ_AHEAD_ROWS / authors.length)));
  const cursors = authors.map((accountId) => {
    const cursor = accountCursor(services.tables, services.clock, accountStatuses, 'status', accountId, bounds);
    return {
      next: async (count: number) => (await cursor.next(count)).map((row) => ({ ...row, accountId })),
    };
  });
  return new MergedCursor(cursors, bounds.upwards, chunk);
}

function audience({ accountId, value }: HomeEntry) {
  return { ...value, accountId, mentions: value.mentionIds.map((id) => ({ accountId: id })) };
}

/** A reblog of what the page already shows, as itself or as somebody else's reblog, is not shown again. */
function once(shown: Set<string>, status: VisibleStatus | undefined): VisibleStatus | undefined {
  if (status === undefined) return undefined;
  const gist = status.record.reblogOfId ?? status.record.id;
  if (status.original !== undefined && shown.has(gist)) return undefined;
  shown.add(gist);
  return status;
}
