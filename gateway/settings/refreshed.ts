import type { Clock } from '../../actors/domain/time.js';
import type { Collection } from '../../actors/instance/entries.js';
import type { InstanceEntry } from '../../proto/gen/types.js';
import type { CachedTables } from '../../store/cache/cached-tables.js';
import { instanceEntries } from '../../store/tables.js';
import type { InstanceEntries } from './entries.js';

/** Delay before a collection is read again after a failure of the store. The last content stays in use meanwhile. */
const AGAIN_MS = 1_000;

/** Source of a collection and of notifications about changes. */
export interface EntrySource {
  /** Must be built on the same tables before this listener, so that it applies a change first. */
  readonly entries: InstanceEntries;
  readonly tables: Pick<CachedTables, 'onChanged'>;
  readonly clock: Clock;
  /** Called each time that the collection could not be read again. */
  readonly failed: (error: unknown) => void;
}

/**
 * Passes a collection to `take` now, and again after each write on this or another node, in order.
 * @throws Unavailable when the store cannot answer the first time
 */
export async function keepRefreshed(
  collection: Collection,
  { entries, tables, clock, failed }: EntrySource,
  take: (found: readonly InstanceEntry[]) => void,
): Promise<void> {
  let order = Promise.resolve();
  let news = 0;
  const read = async () => {
    const asOf = news;
    const found = await entries.of(collection);
    // A change during the read is newer: it was passed on already, or is read next.
    if (asOf === news) take(found);
  };
  const later = () => {
    order = order.then(read).catch((error) => {
      failed(error);
      clock.after(AGAIN_MS, later);
    });
  };
  tables.onChanged((rows) => {
    const isOwn = rows?.some(({ table, key }) => table === instanceEntries.name && key[0] === collection) ?? true;
    if (!isOwn) return;
    news += 1;
    const known = entries.peek(collection);
    if (known === undefined) later();
    else take(known);
  });
  await read();
  await order;
}
