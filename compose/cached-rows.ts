import { codec } from '../proto/codec.js';
import { CachedTables } from '../store/cached-tables.js';
import type { Tables } from '../store/port.js';
import {
  accountStatuses,
  bookmarks,
  favouritedBy,
  favourites,
  followers,
  notifications,
  rebloggedBy,
  tagStatuses,
} from '../store/tables.js';
import { type Bus, ROWS_TOPIC } from '../transport/bus.js';

/** How long a node may believe a row that a node cut off from the bus has changed. */
const SHARED_TTL_MS = 5_000;

const messages = codec('murmuration.node.RowsWritten');

/** The store of a node that has it for itself: nothing is written but by this process. */
export const cachedAlone = (tables: Tables): CachedTables =>
  new CachedTables(tables, {
    newest: [accountStatuses, notifications, followers, favourites, bookmarks, favouritedBy, rebloggedBy, tagStatuses],
  });

/**
 * The store of a node among others: each tells what it wrote before the writer goes on. NATS keeps a publisher's
 * messages in order, so whoever has an answer from the writer has heard of the write.
 */
export async function cachedTogether(tables: Tables, bus: Bus, node: string): Promise<CachedTables> {
  const cached = new CachedTables(tables, { ttlMs: SHARED_TTL_MS, trusts: () => bus.healthy() });
  cached.onWritten((written) => {
    const rows = written.map(({ table, key }) => ({ table, key: [...key] }));
    bus.publish(ROWS_TOPIC, messages.encode({ node, rows }));
  });
  bus.onGap((subject) => {
    if (subject === undefined || subject === ROWS_TOPIC) cached.forget(undefined);
  });
  await bus.subscribe(ROWS_TOPIC, (payload) => {
    const message = messages.decode(payload);
    if (message.node !== node) cached.forget(message.rows);
  });
  return cached;
}
