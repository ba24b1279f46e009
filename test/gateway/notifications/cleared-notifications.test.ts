import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eraOfId, makeId } from '../../../actors/domain/ids.js';
import { initialAccount } from '../../../actors/kinds/account.js';
import { clearedNotifications } from '../../../actors/reactions/account/notification-rows.js';
import { accountRecord } from '../../../actors/reactions/account/rows.js';
import { eachOf } from '../../../actors/runtime/each-of.js';
import { systemClock } from '../../../actors/runtime/system.js';
import { notificationCursor, storedNotification } from '../../../gateway/notifications/notification-cursor.js';
import { CassandraTables } from '../../../store/cassandra/cassandra-tables.js';
import { LmdbTables } from '../../../store/lmdb/lmdb-tables.js';
import { put, type Tables } from '../../../store/port.js';
import { accounts, notifications } from '../../../store/tables.js';
import { cassandraAddress, dropKeyspace } from '../../kit/services/cassandra.js';

const log = { info: () => {}, warn: () => {}, error: () => {} };
const tables = [accounts, notifications];
/** Cassandra refuses to read over more deleted rows than 100,000. */
const ROWS = 100_001;
const ROWS_A_WRITE = 256;
const WRITES_AT_ONCE = 8;
/** A read of no rows, on a busy machine. */
const LIST_MS_MAX = 2_000;
/** No turn of the event loop takes longer while rows go. */
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
  const store = await LmdbTables.open({ folder, clock: { nowMs: () => Date.now() }, log, tables });
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
      await eachOf(firsts, WRITES_AT_ONCE, (first) =>
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
      // Not even a reader that knows nothing of the clearing reads over what was deleted.
      assert.deepEqual(await store.range(notifications, partition, { limit: 40, reverse: true }), []);
      await store.write([row(ROWS)]);
      assert.deepEqual(await list(), [id(ROWS)]);
    } finally {
      await end();
    }
  });
}

const ALL_ROWS = { before: undefined, after: undefined, upwards: false };
