import type { Clock } from '../../actors/domain/time.js';
import type { RecentIds } from '../../actors/timelines/home-rings.js';
import type { Whose } from '../../actors/timelines/public-ring.js';
import type { ReadTables } from '../../store/port.js';
import { accountStatuses } from '../../store/tables.js';
import { ALL, MergedCursor } from '../paging/cursor.js';
import { accountCursor } from '../paging/eras.js';
import { publicCursor } from './public.js';

/** Rows read ahead from each author: a page's worth of few, only what merging needs of many. */
const CHUNK_MAX = 20;
const CHUNK_MIN = 3;

/** Returns the reader that fills the rings of home timelines, from the same rows as a home timeline without a ring. */
export function recentIds(tables: ReadTables, clock: Clock): RecentIds {
  return async (authors, limit) => {
    const chunk = Math.max(CHUNK_MIN, Math.min(CHUNK_MAX, Math.floor(limit / Math.max(1, authors.length))));
    const cursors = authors.map((author) => accountCursor(tables, clock, accountStatuses, 'status', author, ALL));
    const rows = await new MergedCursor(cursors, false, chunk).next(limit);
    return { ids: rows.map((row) => row.id), complete: rows.length < limit };
  };
}

/** Returns the reader that fills the rings of public timelines. */
export function recentPublicIds(tables: ReadTables): (limit: number, whose: Whose) => ReturnType<RecentIds> {
  return async (limit, whose) => {
    const rows = await publicCursor(tables, ALL, whose).next(limit);
    return { ids: rows.map((row) => row.id), complete: rows.length < limit };
  };
}
