import { PUBLIC_BUCKET_MS, PUBLIC_LANES } from '../../actors/domain/public.js';
import type { Whose } from '../../actors/timelines/public-ring.js';
import type { StorePublicRow } from '../../proto/gen/types.js';
import { remotePublicBuckets, remotePublicStatuses } from '../../store/federation-tables.js';
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

/** Returns public statuses, newest first: of accounts of this server, of other servers, or of all. */
export function publicTimeline(
  services: ReadServices,
  viewer: string | undefined,
  bounds: PageBounds,
  whose: Whose | 'all' = 'all',
): Soon<Page<VisibleStatus>> {
  const ask = { ...bounds, limit: bounds.limit + SPARE };
  const cursor = whose === 'all' ? everybodysCursor(services, ask) : ringCursor(services, ask, whose);
  return soon(lensOf(services, viewer), (lens) =>
    readPage(cursor, bounds, (rows) => {
      const ids = rows.map((row) => row.id);
      return visibleById(services, viewer, ids, PLACES.public, lens);
    }),
  );
}

type PublicIds = Cursor<{ readonly id: string } | Entry<StorePublicRow>>;

function ringCursor(
  { publicRing, tables }: ReadServices,
  ask: PageBounds,
  whose: Whose,
  part = publicRing.read(ask, whose),
): PublicIds {
  return new RingCursor(part, ask, {
    ask: (next) => publicRing.read(next, whose),
    merge: (next) => publicCursor(tables, next, whose),
  });
}

/** Merges the statuses of all servers. A server that knows no other one reads only its own. */
function everybodysCursor(services: ReadServices, ask: PageBounds): PublicIds {
  const remote = services.publicRing.read(ask, 'remote');
  const own = ringCursor(services, ask, 'local');
  if (remote.ids.length === 0 && remote.rest === 'end') return own;
  return new MergedCursor([own, ringCursor(services, ask, 'remote', remote)], ask.upwards, ask.limit);
}

/**
 * Returns public statuses with media, newest first. The rows contain that property, so no other statuses are loaded.
 */
export async function publicMedia(
  services: Pick<ReadServices, 'lenses' | 'tables' | 'limits'>,
  viewer: string | undefined,
  bounds: PageBounds,
  whose: Whose | 'all' = 'all',
): Promise<Page<VisibleStatus>> {
  const of = (one: Whose) => publicCursor(services.tables, bounds, one);
  const both = () => new MergedCursor([of('local'), of('remote')], bounds.upwards, bounds.limit);
  return readPage(
    whose === 'all' ? both() : of(whose),
    bounds,
    (rows) => {
      const ids = rows.map(({ id }) => id);
      return visibleById(services, viewer, ids, PLACES.public);
    },
    ({ value }) => value.hasMedia === true,
  );
}

/** The tables of public statuses, and of their buckets. */
const TABLES = {
  local: { statuses: publicStatuses, buckets: publicBuckets },
  remote: { statuses: remotePublicStatuses, buckets: remotePublicBuckets },
} as const;

/** Reads public statuses of this server or of others, unfiltered. */
export function publicCursor(
  tables: ReadTables,
  bounds: Bounds,
  whose: Whose = 'local',
): Cursor<Entry<StorePublicRow>> {
  const buckets = filledBuckets(
    (range) => rangeSoon(tables, TABLES[whose].buckets, { century: 0 }, range),
    PUBLIC_BUCKET_MS,
    bounds,
  );
  let open: { readonly bucket: number; readonly merged: Cursor<Entry<StorePublicRow>> } | undefined;
  return new PartsCursor(buckets, bounds, (bucket, _span, limit) => {
    if (open?.bucket !== bucket) open = { bucket, merged: bucketCursor(tables, whose, bucket, bounds, limit) };
    return open.merged.next(limit);
  });
}

/** Merges the lanes of one bucket. */
function bucketCursor(tables: ReadTables, whose: Whose, bucket: number, bounds: Bounds, chunk: number) {
  const lanes = Array.from(
    { length: PUBLIC_LANES },
    (_, lane) =>
      new PartsCursor<number, Entry<StorePublicRow>>([lane], bounds, (_lane, span, limit) =>
        entriesSoon(tables, TABLES[whose].statuses, { bucket, lane }, 'status', span, limit),
      ),
  );
  return new MergedCursor(lanes, bounds.upwards, Math.max(2, Math.ceil(chunk / 2)));
}
