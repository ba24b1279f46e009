import { TAG_BUCKET_MS } from '../../actors/domain/hashtag.js';
import type { StorePublicRow, StoreStatusRecord } from '../../proto/gen/types.js';
import type { ReadTables } from '../../store/port.js';
import { tagBuckets, tagStatuses } from '../../store/tables.js';
import type { PageBounds } from '../http/paging.js';
import type { Services } from '../services.js';
import { relationsOf, type VisibleStatus, visibleById } from '../visible.js';
import { filledBuckets } from './buckets.js';
import { type Cursor, type Entry, MergedCursor, OnceCursor, PartsCursor } from './cursor.js';
import { rangeOf } from './eras.js';
import { type Page, readPage } from './page.js';

/** Of each of any, all and none. Source: Mastodon TagFeed::LIMIT_PER_MODE. */
export const TAGS_PER_MODE_MAX = 4;
/** Rows read ahead from each hashtag of a merge. */
const CHUNK = 20;

/** Which hashtags' statuses are wanted; all names as hashtagName gives them. */
export interface TagWish {
  readonly tag: string;
  /** These as well. */
  readonly any: readonly string[];
  /** Only what has all of these, too. */
  readonly all: readonly string[];
  /** Nothing that has any of these. */
  readonly none: readonly string[];
}

/** Public statuses with a hashtag, newest first. `wants` says what else must hold of them. */
export async function tagTimeline(
  services: Services,
  viewer: string | undefined,
  wish: TagWish,
  bounds: PageBounds,
  wants: (record: StoreStatusRecord) => boolean = () => true,
): Promise<Page<VisibleStatus>> {
  const relations = await relationsOf(services, viewer);
  const options = { relations, hideBlocked: true, hideMuted: true, context: 'public' } as const;
  return readPage(tagsCursor(services.tables, [wish.tag, ...wish.any], bounds), bounds, async (rows) => {
    const ids = rows.map((row) => row.id);
    const found = await visibleById(services, viewer, ids, options);
    return found.map((status) =>
      status && isTagged(status.record, wish) && wants(status.record) ? status : undefined,
    );
  });
}

/** Whether a status is one of those wished for. */
export function isTagged({ tags, visibility, reblogOfId }: StoreStatusRecord, { tag, any, all, none }: TagWish) {
  if (visibility !== 'public' || reblogOfId !== undefined) return false;
  const has = (name: string) => tags.includes(name);
  return (has(tag) || any.some(has)) && all.every(has) && !none.some(has);
}

/** Everything that has one of the hashtags, unfiltered, each once. */
export function tagsCursor(
  tables: ReadTables,
  tags: readonly string[],
  bounds: Omit<PageBounds, 'limit'>,
  chunk = CHUNK,
): Cursor<Entry<StorePublicRow>> {
  const cursors = [...new Set(tags)].map((tag) => tagCursor(tables, tag, bounds));
  const [only] = cursors;
  if (only !== undefined && cursors.length === 1) return only;
  return new OnceCursor(new MergedCursor(cursors, bounds.upwards, chunk));
}

function tagCursor(tables: ReadTables, tag: string, bounds: Omit<PageBounds, 'limit'>) {
  const buckets = filledBuckets((range) => tables.range(tagBuckets, { tag }, range), TAG_BUCKET_MS, bounds);
  return new PartsCursor<number, Entry<StorePublicRow>>(buckets, bounds, async (bucket, span, limit) => {
    const rows = await tables.range(tagStatuses, { tag, bucket }, { ...rangeOf('status', span), limit });
    return rows.map(({ key, value }) => ({ id: key.status, value }));
  });
}
