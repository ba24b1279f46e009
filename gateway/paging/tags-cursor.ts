import { TAG_BUCKET_MS } from '../../actors/domain/text/hashtag.js';
import type { StorePublicRow } from '../../proto/gen/types.js';
import type { ReadTables } from '../../store/port.js';
import { tagBuckets, tagStatuses } from '../../store/tables.js';
import type { PageBounds } from './bounds.js';
import { filledBuckets } from './buckets.js';
import {
  type Cursor,
  DistinctCursor,
  type Entry,
  entriesSoon,
  MergedCursor,
  PartsCursor,
  rangeSoon,
} from './cursor.js';

/** Rows read ahead from each hashtag of a merge. */
const CHUNK = 20;

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
