import { makeId, storedId } from '../../actors/domain/ids.js';
import { rankOf } from '../../actors/domain/permissions.js';
import { type Problem, problem } from '../../actors/domain/problem.js';
import { PUBLIC_LANES } from '../../actors/domain/public.js';
import type { InstanceReport, StoreAccountListing, StoreAccountRecord } from '../../proto/gen/types.js';
import type { Table } from '../../store/table.js';
import { accountListings, accounts, reports } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import type { PageBounds } from '../paging/bounds.js';
import { type Cursor, type Entry, entriesSoon, MergedCursor, PartsCursor } from '../paging/cursor.js';
import { erasOf } from '../paging/eras.js';
import { notFound } from '../viewing/visible.js';
import { FIRST_ERA } from './listed-accounts.js';

type Bounds = Omit<PageBounds, 'limit'>;
/** First id of the first era that can have rows. */
const FIRST_ID = makeId(FIRST_ERA * 2 ** 34, 0, 0);
/** Rows read ahead from each lane: twice its share of a page. */
const chunkOf = (limit: number) => Math.max(CHUNK_MIN, Math.ceil((limit * 2) / PUBLIC_LANES));
const CHUNK_MIN = 3;

/** Reads a table that is partitioned by era and lane as one list. */
function lanesCursor<Name extends string, V>(
  services: Pick<Services, 'tables' | 'clock'>,
  table: Table<{ era: 'int'; lane: 'int' }, { [K in Name]: 'id' }, V>,
  column: Name,
  bounds: Bounds,
): Cursor<Entry<V>> {
  let open: { readonly era: number; readonly merged: Cursor<Entry<V>> } | undefined;
  return new PartsCursor(erasOf(FIRST_ID, services.clock, bounds), bounds, (era, _span, limit) => {
    if (open?.era !== era) open = { era, merged: mergedLanes(services, table, column, era, bounds, chunkOf(limit)) };
    return open.merged.next(limit);
  });
}

function mergedLanes<Name extends string, V>(
  { tables }: Pick<Services, 'tables'>,
  table: Table<{ era: 'int'; lane: 'int' }, { [K in Name]: 'id' }, V>,
  column: Name,
  era: number,
  bounds: Bounds,
  chunk: number,
): Cursor<Entry<V>> {
  const lanes = Array.from(
    { length: PUBLIC_LANES },
    (_, lane) =>
      new PartsCursor<number, Entry<V>>([lane], bounds, (_lane, span, limit) =>
        entriesSoon(tables, table, { era, lane }, column, span, limit),
      ),
  );
  return new MergedCursor(lanes, bounds.upwards, chunk);
}

/** Reads all local accounts. */
export const accountsCursor = (
  services: Pick<Services, 'tables' | 'clock'>,
  bounds: Bounds,
): Cursor<Entry<StoreAccountListing>> => lanesCursor(services, accountListings, 'account', bounds);

/** Reads all reports. */
export const reportsCursor = (
  services: Pick<Services, 'tables' | 'clock'>,
  bounds: Bounds,
): Cursor<Entry<InstanceReport>> => lanesCursor(services, reports, 'report', bounds);

/** Returns the account if the viewer may moderate it: its role must rank below the viewer's. */
export async function subordinate(
  services: Pick<Services, 'tables'>,
  viewer: string,
  id: string,
): Promise<StoreAccountRecord | Problem> {
  const [own, target] = await services.tables.getMany(accounts, [{ account: viewer }, { account: storedId(id) }]);
  if (target === undefined) return notFound();
  if (rankOf(own?.role ?? 'user') <= rankOf(target.role)) return problem('forbidden', 'This action is not allowed');
  return target;
}
