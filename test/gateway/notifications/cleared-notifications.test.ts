import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DISMISSED_TOGETHER_MAX } from '../../../actors/account/notify.js';
import { initialAccount } from '../../../actors/account/slices.js';
import { eachBounded } from '../../../actors/domain/each-bounded.js';
import { eraOfId, makeId } from '../../../actors/domain/ids.js';
import { clearedNotifications, notificationRows } from '../../../actors/reactions/account/notification-rows.js';
import { accountRecord } from '../../../actors/reactions/account/rows.js';
import { systemClock } from '../../../actors/runtime/system.js';
import { notificationCursor, storedNotification } from '../../../gateway/paging/notification-cursor.js';
import { CassandraTables } from '../../../store/cassandra/cassandra-tables.js';
import { LmdbTables } from '../../../store/lmdb/lmdb-tables.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { put, remove, type Tables } from '../../../store/port.js';
import { accounts, notifications } from '../../../store/tables.js';
import { fc } from '../../kit/property.js';
import { cassandraAddress, dropKeyspace } from '../../kit/services/cassandra.js';

const log = { info: () => {}, warn: () => {}, error: () => {} };
const tables = [accounts, notifications];
/** Cassandra refuses to read across more than 100,000 deleted rows. */
const ROWS = 100_001;
const ROWS_A_WRITE = 256;
const WRITES_AT_ONCE = 8;
/** Notifications that stay, below those that are dismissed. */
const OLDER = 40;
/** Time of a read without rows, on a busy machine. */
const LIST_MS_MAX = 2_000;
/** Longest turn of the event loop while rows are deleted. */
const TURN_MS_MAX = 1_000;

async function inCassandra(): Promise<{ store: Tables; end: () => Promise<void> }> {
  const keyspace = `test_${randomBytes(6).toString('hex')}`;
  const store = await CassandraTables.open({ ...cassandraAddress(), keyspace, replication: 1, log, tables });
  const end = async () => {
    await store.close();
    await dropKeyspace(keyspace);
  };
  return { store, end };
}

async function inLmdb(): Promise<{ store: Tables; end: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'cleared-'));
  const store = await LmdbTables.open({ folder, clock: systemClock, log, tables });
  const end = async () => {
    await store.close();
    await rm(folder, { recursive: true });
  };
  return { store, end };
}

for (const [name, open] of [
  ['Cassandra', inCassandra],
  ['LMDB', inLmdb],
] as const) {
  test(`${name}: a list answers at once while 100,001 notifications are cleared, and afterwards`, async () => {
    const { store, end } = await open();
    try {
      const nowMs = Date.now();
      const account = makeId(nowMs - 1_000_000, 0, 0);
      const id = (n: number) => makeId(nowMs - 900_000 + n, 0, 0);
      const row = (n: number) => {
        const record = { type: 'follow', from: account, atMs: nowMs } as never;
        return put(notifications, { account, era: eraOfId(id(n)), notification: id(n) }, record);
      };
      const firsts = Array.from({ length: Math.ceil(ROWS / ROWS_A_WRITE) }, (_, n) => n * ROWS_A_WRITE);
      await eachBounded(firsts, WRITES_AT_ONCE, (first) =>
        store.write(Array.from({ length: Math.min(ROWS_A_WRITE, ROWS - first) }, (_, n) => row(first + n))),
      );
      const upToId = id(ROWS - 1);
      const cleared = accountRecord({ ...initialAccount(account), clearedUpToId: upToId });
      await store.write([put(accounts, { account }, cleared)]);
      const list = async () => {
        const beganMs = performance.now();
        const cursor = notificationCursor({ tables: store, clock: systemClock }, account, ALL_ROWS);
        const found = await cursor.next(40);
        assert.ok(performance.now() - beganMs < LIST_MS_MAX);
        return found.map((one) => one.id);
      };
      let longestMs = 0;
      let lastMs = performance.now();
      const turns = setInterval(() => {
        longestMs = Math.max(longestMs, performance.now() - lastMs);
        lastMs = performance.now();
      }, 5);
      assert.deepEqual(await list(), []);
      const { notificationsCleared } = clearedNotifications(store).on;
      const removal = notificationsCleared?.({ upToId, afterId: undefined }, { self: account } as never, {} as never);
      assert.deepEqual(await list(), []);
      await removal;
      clearInterval(turns);
      assert.ok(longestMs < TURN_MS_MAX, `${longestMs} ms without a turn`);
      assert.equal(await storedNotification({ tables: store }, account, id(7)), undefined);
      const partition = { account, era: eraOfId(upToId) };
      // Even a reader that does not know of the clearing reads across no deleted rows.
      assert.deepEqual(await store.range(notifications, partition, { limit: 40, reverse: true }), []);
      await store.write([row(ROWS)]);
      assert.deepEqual(await list(), [id(ROWS)]);
    } finally {
      await end();
    }
  });
}

for (const [name, open] of [
  ['Cassandra', inCassandra],
  ['LMDB', inLmdb],
] as const) {
  test(`${name}: a list answers at once after 100,001 notifications were dismissed one by one`, async () => {
    const { store, end } = await open();
    try {
      const nowMs = Date.now();
      const account = makeId(nowMs - 1_000_000, 0, 0);
      const id = (n: number) => makeId(nowMs - 900_000 + n, 0, 0);
      const keyOf = (n: number) => ({ account, era: eraOfId(id(n)), notification: id(n) });
      const record = { type: 'follow', from: account, atMs: nowMs } as never;
      await store.write([put(accounts, { account }, accountRecord(initialAccount(account)))]);
      await store.write(Array.from({ length: OLDER }, (_, n) => put(notifications, keyOf(n), record)));
      const { notificationsSwept } = notificationRows(store, () => assert.fail('no row of the account'));
      const happened = { self: account } as never;
      const upToId = id(OLDER + ROWS - 1);
      // Newest first, as a client shows them. Deleting a missing row leaves a tombstone, too.
      for (let last = OLDER + ROWS; last > OLDER; last -= DISMISSED_TOGETHER_MAX) {
        const first = Math.max(OLDER, last - DISMISSED_TOGETHER_MAX);
        const some = Array.from({ length: last - first }, (_, n) => first + n);
        const firsts = some.filter((_, n) => n % ROWS_A_WRITE === 0);
        await eachBounded(firsts, WRITES_AT_ONCE, (from) =>
          store.write(
            some.filter((n) => n >= from && n < from + ROWS_A_WRITE).map((n) => remove(notifications, keyOf(n))),
          ),
        );
        await notificationsSwept?.({ ids: some.map(id), upToId }, happened, {} as never);
      }
      const beganMs = performance.now();
      const cursor = notificationCursor({ tables: store, clock: systemClock }, account, ALL_ROWS);
      const found = await cursor.next(OLDER);
      assert.ok(performance.now() - beganMs < LIST_MS_MAX);
      assert.deepEqual(
        found.map((one) => one.id),
        Array.from({ length: OLDER }, (_, n) => id(OLDER - 1 - n)),
      );
    } finally {
      await end();
    }
  });
}

test('a sweep deletes no existing row, whichever rows were dismissed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 40 }), fc.boolean(), async (isDismissed, twoEras) => {
      const store = new MemoryTables();
      const startMs = Date.now();
      const account = makeId(startMs, 0, 0);
      // An era has 199 days.
      const id = (n: number) => makeId(startMs + n * (twoEras ? 20 : 1) * 86_400_000, 0, 0);
      const keyOf = (n: number) => ({ account, era: eraOfId(id(n)), notification: id(n) });
      const record = { type: 'follow', from: account, atMs: startMs } as never;
      const all = isDismissed.map((_, n) => n);
      await store.write(all.map((n) => put(notifications, keyOf(n), record)));
      const gone = all.filter((n) => isDismissed[n]);
      await store.write(gone.map((n) => remove(notifications, keyOf(n))));
      const { notificationsSwept } = notificationRows(store, () => assert.fail('no row of the account'));
      const upToId = id(isDismissed.length - 1);
      await notificationsSwept?.({ ids: gone.map(id), upToId }, { self: account } as never, {} as never);
      for (const n of all)
        assert.equal((await store.get(notifications, keyOf(n))) === undefined, isDismissed[n], `${n}`);
    }),
  );
});

const ALL_ROWS = { before: undefined, after: undefined, upwards: false };
