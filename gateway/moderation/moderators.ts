import { makeId, storedId } from '../../actors/domain/ids.js';
import { rankOf } from '../../actors/domain/permissions.js';
import { type Problem, problem } from '../../actors/domain/problem.js';
import { PUBLIC_LANES } from '../../actors/domain/public.js';
import type { InstanceReport, StoreAccountListing, StoreAccountRecord } from '../../proto/gen/types.js';
import { EVERY_DOMAIN, remoteAccountListings } from '../../store/federation-tables.js';
import { accountListings, reports } from '../../store/moderation-tables.js';
import type { Columns, KeyOf, Table } from '../../store/table.js';
import { accounts } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import type { PageBounds } from '../paging/bounds.js';
import { type Cursor, type Entry, entriesSoon, MergedCursor, PartsCursor } from '../paging/cursor.js';
import { erasOf } from '../paging/eras.js';
import { notFound } from '../viewing/visible.js';
import { FIRST_ERA } from './listed-accounts.js';

type Bounds = Omit<PageBounds, 'limit'>;
type Reading = Pick<Services, 'tables' | 'clock'>;
/** First id of the first era that can have rows. */
const FIRST_ID = makeId(FIRST_ERA * 2 ** 34, 0, 0);
/** Rows read ahead from each lane: twice its share of a page. */
const chunkOf = (limit: number) => Math.max(CHUNK_MIN, Math.ceil((limit * 2) / PUBLIC_LANES));
const CHUNK_MIN = 3;
/** Rows read ahead from each of the lists of local and of remote accounts. */
const ACCOUNTS_CHUNK = 50;

/** Reads a list that is divided by era and lane. */
function lanesCursor<P extends Columns, Name extends string, V>(
  services: Reading,
  table: Table<P, { [K in Name]: 'id' }, V>,
  partitionOf: (era: number, lane: number) => KeyOf<P>,
  column: Name,
  bounds: Bounds,
): Cursor<Entry<V>> {
  const laneCursor = (era: number, lane: number) => {
    const partition = partitionOf(era, lane);
    return new PartsCursor<number, Entry<V>>([lane], bounds, (_lane, span, limit) =>
      entriesSoon(services.tables, table, partition, column, span, limit),
    );
  };
  let open: { readonly era: number; readonly merged: Cursor<Entry<V>> } | undefined;
  return new PartsCursor(erasOf(FIRST_ID, services.clock, bounds), bounds, (era, _span, limit) => {
    if (open?.era !== era) {
      const lanes = Array.from({ length: PUBLIC_LANES }, (_, lane) => laneCursor(era, lane));
      open = { era, merged: new MergedCursor(lanes, bounds.upwards, chunkOf(limit)) };
    }
    return open.merged.next(limit);
  });
}

type AccountsCursor = Cursor<Entry<StoreAccountListing>>;

/** Reads all accounts of this server. */
export const localAccountsCursor = (services: Reading, bounds: Bounds): AccountsCursor =>
  lanesCursor(services, accountListings, (era, lane) => ({ era, lane }), 'account', bounds);

/** Reads the known accounts of other servers, or of one. `domain`: as `domainName` writes it. */
export const remoteAccountsCursor = (services: Reading, bounds: Bounds, domain = EVERY_DOMAIN): AccountsCursor =>
  lanesCursor(services, remoteAccountListings, (era, lane) => ({ domain, era, lane }), 'account', bounds);

/** Reads the accounts of this server and the known ones of all others. */
export const accountsCursor = (services: Reading, bounds: Bounds): AccountsCursor =>
  new MergedCursor(
    [localAccountsCursor(services, bounds), remoteAccountsCursor(services, bounds)],
    bounds.upwards,
    ACCOUNTS_CHUNK,
  );

/** Reads all reports. */
export const reportsCursor = (services: Reading, bounds: Bounds): Cursor<Entry<InstanceReport>> =>
  lanesCursor(services, reports, (era, lane) => ({ era, lane }), 'report', bounds);

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
