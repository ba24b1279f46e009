import { PUBLIC_BUCKET_MS, PUBLIC_LANES } from '../../actors/domain/public.js';
import type { StorePublicRow } from '../../proto/gen/types.js';
import type { ReadTables } from '../../store/port.js';
import { publicBuckets, publicStatuses } from '../../store/tables.js';
import type { PageBounds } from '../paging/bounds.js';
import { filledBuckets } from '../paging/buckets.js';
import { type Cursor, type Entry, entriesSoon, MergedCursor, PartsCursor, rangeSoon } from '../paging/cursor.js';
import { type Page, readPage } from '../paging/page.js';
import { type Soon, soon } from '../paging/soon.js';
import { PLACES } from '../viewing/judge.js';
import type { ReadServices } from '../viewing/read-services.js';
import { lensOf, visibleById } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';
import { RingCursor } from './ring-cursor.js';

/** Ids read from the ring in addition to a page, because some authors may be hidden from the viewer. */
const SPARE = 10;

type Bounds = Omit<PageBounds, 'limit'>;

/** Returns all public statuses, newest first. */
export function publicTimeline(
  services: ReadServices,
  viewer: string | undefined,
  bounds: PageBounds,
): Soon<Page<VisibleStatus>> {
  const { publicRing, tables } = services;
  const ask = { ...bounds, limit: bounds.limit + SPARE };
  const cursor = new RingCursor(publicRing.read(ask), ask, {
    ask: (next) => publicRing.read(next),
    merge: (next) => publicCursor(tables, next),
  });
  return soon(lensOf(services, viewer), (lens) =>
    readPage(cursor, bounds, (rows) => {
      const ids = rows.map((row) => row.id);
      return visibleById(services, viewer, ids, PLACES.public, lens);
    }),
  );
}

/**
 * Returns public statuses with media, newest first. The rows contain that property, so no other statuses are loaded.
 */
export async function publicMedia(
  services: Pick<ReadServices, 'lenses' | 'tables' | 'limits'>,
  viewer: string | undefined,
  bounds: PageBounds,
): Promise<Page<VisibleStatus>> {
  return readPage(
    publicCursor(services.tables, bounds),
    bounds,
    (rows) => {
      const ids = rows.map(({ id }) => id);
      return visibleById(services, viewer, ids, PLACES.public);
    },
    ({ value }) => value.hasMedia === true,
  );
}

/** Reads all public statuses, unfiltered. */
export function publicCursor(tables: ReadTables, bounds: Bounds): Cursor<Entry<StorePublicRow>> {
  const buckets = filledBuckets(
    (range) => rangeSoon(tables, publicBuckets, { century: 0 }, range),
    PUBLIC_BUCKET_MS,
    bounds,
  );
  let open: { readonly bucket: number; readonly merged: Cursor<Entry<StorePublicRow>> } | undefined;
  return new PartsCursor(buckets, bounds, (bucket, _span, limit) => {
    if (open?.bucket !== bucket) open = { bucket, merged: bucketCursor(tables, bucket, bounds, limit) };
    return open.merged.next(limit);
  });
}

/** Merges the lanes of one bucket. */
function bucketCursor(tables: ReadTables, bucket: number, bounds: Bounds, chunk: number) {
  const lanes = Array.from(
    { length: PUBLIC_LANES },
    (_, lane) =>
      new PartsCursor<number, Entry<StorePublicRow>>([lane], bounds, (_lane, span, limit) =>
        entriesSoon(tables, publicStatuses, { bucket, lane }, 'status', span, limit),
      ),
  );
  return new MergedCursor(lanes, bounds.upwards, Math.max(2, Math.ceil(chunk / 2)));
}
