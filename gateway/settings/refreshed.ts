import type { Clock } from '../../actors/domain/time.js';
import type { Collection } from '../../actors/instance/entries.js';
import type { InstanceEntry } from '../../proto/gen/types.js';
import type { InstanceEntries } from './entries.js';

/** Delay before a collection is read again after a failure of the store. The last content stays in use meanwhile. */
const AGAIN_MS = 1_000;

/** Source of a collection and of notifications about changes. */
export interface EntrySource {
  readonly entries: InstanceEntries;
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
  { entries, clock, failed }: EntrySource,
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
  entries.onChanged(collection, () => {
    news += 1;
    const known = entries.peek(collection);
    if (known === undefined) later();
    else take(known);
  });
  await read();
  await order;
}
