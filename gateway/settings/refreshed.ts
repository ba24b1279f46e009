import type { Clock } from '../../actors/domain/time.js';
import type { Collection } from '../../actors/instance/entries.js';
import type { InstanceEntry } from '../../proto/gen/types.js';
import type { CachedTables } from '../../store/cache/cached-tables.js';
import { instanceEntries } from '../../store/tables.js';
import type { InstanceEntries } from './entries.js';

/** When the store could not be read, it is tried again so much later; what was known holds meanwhile. */
const AGAIN_MS = 1_000;

/** Where a collection of the instance is read and who says that it changed. */
export interface EntrySource {
  /** Made of the same tables, so that it hears of a change first. */
  readonly entries: InstanceEntries;
  readonly tables: Pick<CachedTables, 'onChanged'>;
  readonly clock: Clock;
  /** Told each time that the collection could not be read anew. */
  readonly failed: (error: unknown) => void;
}

/**
 * Hands a collection over now, and anew each time that it was written, here or elsewhere, in order.
 * @throws Unavailable when the store cannot answer the first time
 */
export async function keepInStep(
  collection: Collection,
  { entries, tables, clock, failed }: EntrySource,
  take: (found: readonly InstanceEntry[]) => void,
): Promise<void> {
  let order = Promise.resolve();
  let news = 0;
  const read = async () => {
    const asOf = news;
    const found = await entries.of(collection);
    // What was heard meanwhile is newer: it was taken then, or is read next.
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
