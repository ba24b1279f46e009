import type { Clock } from '../actors/domain/time.js';
import type { RowCarrier } from '../actors/runtime/carried-rows.js';
import { systemClock } from '../actors/runtime/system.js';
import { codec } from '../proto/codec.js';
import type { NodeRowKey } from '../proto/gen/types.js';
import type { Caches } from '../store/cache/cache.js';
import { CachedTables, type WrittenRow } from '../store/cache/cached-tables.js';
import { changedNumbers } from '../store/cache/changed-numbers.js';
import { accountListings, reports } from '../store/moderation-tables.js';
import type { Tables } from '../store/port.js';
import type { AnyTable } from '../store/table.js';
import {
  accountStatuses,
  allTables,
  bookmarks,
  directStatuses,
  favouritedBy,
  favourites,
  featuredIn,
  followers,
  nameIndex,
  names,
  notifications,
  quotes,
  rebloggedBy,
  refusedSignUps,
  statusIndex,
  tagBuckets,
  tagNames,
  tagStatuses,
} from '../store/tables.js';
import { type Bus, ROWS_TOPIC } from '../transport/bus.js';
import { type PeerLiveness, UNRESPONSIVE_MS } from './peer-liveness.js';

/** Delay after which a failed write has happened if it ever does: its rows are then published once more. */
const LATE_MS = 10_000;

/**
 * Maximum duration (milliseconds) of a write whose value is published and cached: an owner that lost its shard
 * meanwhile must not publish or cache a value that its successor has already changed. Shorter than the margin between
 * the end of a lease and the moment when another node may take over.
 */
const PROMPT_MS = 500;
/** Maximum size of a published value; nodes read larger ones from the store. */
const TOLD_BYTES_MAX = 256;

const messages = codec('murmuration.node.RowsWritten');
const watched = new Map<string, AnyTable>(
  allTables.filter((table) => 'watched' in table).map((table) => [table.name, table]),
);

/** Wraps the store of a single node: only this process writes to it. */
export const cachedAlone = (
  tables: Tables,
  clock: Pick<Clock, 'monotonicMs'> = systemClock,
  caches?: Caches,
): CachedTables =>
  new CachedTables(tables, {
    caches,
    monotonicMs: () => clock.monotonicMs(),
    newest: [
      accountStatuses,
      notifications,
      quotes,
      followers,
      featuredIn,
      favourites,
      bookmarks,
      favouritedBy,
      rebloggedBy,
      directStatuses,
      tagStatuses,
      tagBuckets,
      accountListings,
      reports,
    ],
    ranges: [nameIndex, tagNames, statusIndex, refusedSignUps, names],
  });

/**
 * Wraps the store of a node in a cluster: each node publishes its writes before the writer continues. NATS preserves a
 * publisher's order, so a node that has received an answer of the writer has received its writes.
 */
export async function cachedTogether(
  tables: Tables,
  bus: Bus,
  node: string,
  hearing?: Pick<PeerLiveness, 'ageMaxMs'>,
  clock: Pick<Clock, 'monotonicMs' | 'after'> = systemClock,
  caches?: Caches,
): Promise<CachedTables> {
  const cached = new CachedTables(tables, {
    ageMaxMs: () => hearing?.ageMaxMs() ?? UNRESPONSIVE_MS,
    promptMs: PROMPT_MS,
    trusts: () => bus.hears(),
    monotonicMs: () => clock.monotonicMs(),
    caches,
  });
  const tell = (written: readonly WrittenRow[]) => {
    bus.publish(ROWS_TOPIC, messages.encode({ node, rows: written.map(toldRow) }));
  };
  cached.onWritten((written, isDone) => {
    tell(written);
    if (isDone) return;
    clock.after(LATE_MS, () => {
      cached.forget(written);
      tell(written);
    });
  });
  bus.onGap((subject) => {
    if (subject === undefined || subject === ROWS_TOPIC) cached.forget(undefined);
  });
  await bus.subscribe(ROWS_TOPIC, (payload) => {
    const message = messages.decode(payload);
    if (message.node !== node) cached.forget(message.rows.map(heardRow));
  });
  return cached;
}

/**
 * Encodes a written row. The message includes the new value of a small watched row, or the new counts of a row of which
 * only counts changed: a node that caches the row need not read it.
 */
function toldRow({ table, key, now, before }: WrittenRow): NodeRowKey {
  const row = { table, key: [...key], gone: false, numbers: [] };
  if (before !== undefined && typeof now?.value === 'object' && now.value !== null) {
    return { ...row, numbers: changedNumbers(before, now.value) ?? [] };
  }
  const { value: codec } = watched.get(table) ?? {};
  if (codec === undefined || now === undefined) return row;
  if (now.value === undefined) return { ...row, gone: true };
  const value = codec.encode(now.value);
  return value.length > TOLD_BYTES_MAX ? row : { ...row, value };
}

function heardRow({ table, key, value, gone, numbers }: NodeRowKey): WrittenRow {
  if (numbers.length > 0) return { table, key, numbers };
  if (gone) return { table, key, now: { value: undefined } };
  const { value: codec } = watched.get(table) ?? {};
  return value === undefined || codec === undefined ? { table, key } : { table, key, now: new Told(codec, value) };
}

/** A value that is decoded on demand. */
class Told {
  constructor(
    private readonly codec: AnyTable['value'],
    private readonly bytes: Uint8Array,
  ) {}
  get value(): unknown {
    return this.codec.decode(this.bytes);
  }
}

/**
 * Carries cached rows from one node to another. The sender publishes its later writes of a row; only a shard that moves
 * in that moment leaves a row that stays cached for up to UNRESPONSIVE_MS.
 */
export function rowCarrier(cached: CachedTables): RowCarrier {
  const hot = new Map(allTables.filter((table) => 'hot' in table).map((table) => [table.name as string, table]));
  return {
    load: (rows) =>
      rows.flatMap(({ table, key }) => {
        const value = cached.peek(table, key);
        if (value === undefined) return [];
        return [{ table: table.name, key: cached.textOf(table, key), value: table.value.encode(value) }];
      }),
    unload(rows) {
      for (const { table: name, key, value } of rows) {
        const table = hot.get(name);
        if (table !== undefined) cached.offer(table, key, table.value.decode(value));
      }
    },
  };
}
