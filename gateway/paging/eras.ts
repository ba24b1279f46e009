import { eraOfId, eraOfMs } from '../../actors/domain/ids.js';
import type { Clock } from '../../actors/domain/time.js';
import type { ReadTables } from '../../store/port.js';
import type { Table } from '../../store/table.js';
import type { PageBounds } from './bounds.js';
import { type Entry, entriesSoon, PartsCursor } from './cursor.js';

/** Ids may be ahead of this node's clock by a lease and some skew; the first rows of a new era must not be missed. */
export const AHEAD_MS = 60_000;

/**
 * Returns the eras between an account's creation and now, within the bounds, in the direction of reading. `first` is
 * the account's id: no row of an account is older than it.
 */
export function erasOf(first: string, clock: Clock, bounds: Omit<PageBounds, 'limit'>): number[] {
  const lowest = Math.max(eraOfId(first), bounds.after === undefined ? 0 : eraOfId(bounds.after));
  const newest = eraOfMs(clock.nowMs() + AHEAD_MS);
  const highest = bounds.before === undefined ? newest : Math.min(newest, eraOfId(bounds.before));
  const eras: number[] = [];
  for (let era = lowest; era <= highest; era++) eras.push(era);
  return bounds.upwards ? eras : eras.reverse();
}

/** Reads an account's rows in a table of eras. `column` is the clustering column, an id. */
export function accountCursor<Name extends string, V>(
  tables: ReadTables,
  clock: Clock,
  table: Table<{ account: 'id'; era: 'int' }, { [K in Name]: 'id' }, V>,
  column: Name,
  account: string,
  bounds: Omit<PageBounds, 'limit'>,
): PartsCursor<number, Entry<V>> {
  let partition = { account, era: -1 };
  return new PartsCursor(erasOf(account, clock, bounds), bounds, (era, span, limit) => {
    if (partition.era !== era) partition = { account, era };
    return entriesSoon(tables, table, partition, column, span, limit);
  });
}
