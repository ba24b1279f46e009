import { isWished, TAG_BUCKET_MS, type TagWish } from '../../actors/domain/text/hashtag.js';
import type { StorePublicRow, StoreStatusRecord } from '../../proto/gen/types.js';
import type { ReadTables } from '../../store/port.js';
import { tagBuckets, tagStatuses } from '../../store/tables.js';
import type { PageBounds } from '../paging/bounds.js';
import { filledBuckets } from '../paging/buckets.js';
import {
  type Cursor,
  DistinctCursor,
  type Entry,
  entriesSoon,
  MergedCursor,
  PartsCursor,
  rangeSoon,
} from '../paging/cursor.js';
import { type Page, readPage } from '../paging/page.js';
import { type Soon, soon } from '../paging/soon.js';
import { PLACES } from '../viewing/judge.js';
import type { ReadServices } from '../viewing/read-services.js';
import { lensOf, visibleById } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';

/** Rows read ahead from each hashtag of a merge. */
const CHUNK = 20;

/** Returns public statuses with a hashtag, newest first. `wants` is a further condition. */
export function tagTimeline(
  services: Pick<ReadServices, 'lenses' | 'tables' | 'limits'>,
  viewer: string | undefined,
  wish: TagWish,
  bounds: PageBounds,
  wants: (record: StoreStatusRecord) => boolean = () => true,
): Soon<Page<VisibleStatus>> {
  const cursor = tagsCursor(services.tables, [wish.tag, ...wish.any], bounds);
  return soon(lensOf(services, viewer), (lens) =>
    readPage(cursor, bounds, (rows) => {
      const ids = rows.map((row) => row.id);
      return soon(visibleById(services, viewer, ids, PLACES.public, lens), (found) =>
        found.map((status) => (status && isWished(status.record, wish) && wants(status.record) ? status : undefined)),
      );
    }),
  );
}

/** Merges all statuses with one of the hashtags, unfiltered, each once. */
export function tagsCursor(
  tables: ReadTables,
  tags: readonly string[],
  bounds: Omit<PageBounds, 'limit'>,
  chunk = CHUNK,
): Cursor<Entry<StorePublicRow>> {
  const cursors = [...new Set(tags)].map((tag) => tagCursor(tables, tag, bounds));
  const [only] = cursors;
  if (only !== undefined && cursors.length === 1) return only;
  return new DistinctCursor(new MergedCursor(cursors, bounds.upwards, chunk));
}

function tagCursor(tables: ReadTables, tag: string, bounds: Omit<PageBounds, 'limit'>) {
  const buckets = filledBuckets((range) => rangeSoon(tables, tagBuckets, { tag }, range), TAG_BUCKET_MS, bounds);
  return new PartsCursor<number, Entry<StorePublicRow>>(buckets, bounds, (bucket, span, limit) =>
    entriesSoon(tables, tagStatuses, { tag, bucket }, 'status', span, limit),
  );
}
