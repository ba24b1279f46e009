import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { alarmKey } from '../../actors/domain/alarm.js';
import { makeId } from '../../actors/domain/ids.js';
import { Unavailable } from '../../actors/domain/problem.js';

import { Registrar } from '../../actors/registry.js';
import { AlarmLane } from '../../actors/runtime/effects/alarm-lane.js';
import { BacklogScan, backlogKey } from '../../actors/runtime/effects/backlog.js';
import { systemClock } from '../../actors/runtime/system.js';
import { CassandraTables } from '../../store/cassandra/cassandra-tables.js';
import { Statements } from '../../store/cassandra/statements.js';
import { put, remove, type Tables } from '../../store/port.js';
import {
  alarmFloors,
  alarms,
  appTokens,
  backlog,
  backlogFloors,
  bookmarks,
  cursors,
  favourites,
  journal,
  marks,
  members,
  names,
  storeHome,
  tokens,
} from '../../store/tables.js';

import { WriteTimestamps } from '../../store/write-timestamps.js';
import { contractTables } from '../contract/contract-tables.js';
import { journalContract } from '../contract/journal-contract.js';
import { reopened } from '../contract/reopened.js';
import { tablesContract } from '../contract/tables-contract.js';
import {
  cassandraAddress,
  dropKeyspace,
  gcGraceSeconds,
  limitsOfServer,
  preparedFor,
  speculativeRetry,
  warningsOf,
} from '../kit/services/cassandra.js';

/**
 * Far below the number of tombstones at which Cassandra refuses a read (100,000), so that creating them takes seconds.
 */
const FINISHED_ROWS = 20_480;
/** Maximum duration of two reads of one row each, on a busy machine. */
const FRESH_READ_MS_MAX = 1_000;

const log = { info: () => {}, warn: () => {}, error: () => {} };

async function open() {
  const keyspace = `test_${randomBytes(6).toString('hex')}`;
  const start = () =>
    CassandraTables.open({ ...cassandraAddress(), keyspace, replication: 1, log, tables: contractTables });
  // Two nodes that create the schema at the same time.
  const [first, second] = await Promise.all([start(), start()]);
  await second.close();
  return reopened(first, start, () => dropKeyspace(keyspace), 30);
}

tablesContract('cassandra', open);
journalContract('cassandra', open);

test('the server counts partition keys over all tables, as groups of writes do', async () => {
  const keyspace = `test_${randomBytes(6).toString('hex')}`;
  const few = [marks, favourites, bookmarks];
  const sharing = few.map((one) => new Statements(one, keyspace));
  const tables = await CassandraTables.open({ ...cassandraAddress(), keyspace, replication: 1, log, tables: few });
  const value = Buffer.alloc(10);
  /** Returns a row in each table for each key, and the number of keys by their names. */
  const rowsOf = (keys: number) => {
    const all = Array.from({ length: keys }, (_, number) => ({
      account: `${number + 1}`,
      era: 1,
      status: '1',
      mark: '1',
    }));
    const partitions = new Set(sharing.flatMap((one) => all.map((key) => one.partitionOf(key))));
    return { partitions: partitions.size, queries: sharing.flatMap((one) => all.map((key) => one.put(key, value))) };
  };
  try {
    const { partitions, bytes } = await limitsOfServer();
    const full = rowsOf(partitions);
    assert.equal(full.partitions, partitions);
    assert.deepEqual(await warningsOf(full.queries), []);
    assert.match((await warningsOf(rowsOf(partitions + 1).queries)).join(), /covering 61 partitions/);
    const large = Array.from({ length: partitions }, (_, number) => {
      const key = { account: `${number + 1}`, era: 1, status: '1' };
      const marked = sharing[0] as Statements;
      const name = marked.rowOf(marked.partitionOf(key), key);
      return marked.put(key, Buffer.alloc(Math.floor(bytes / partitions) - name.length));
    });
    assert.deepEqual(await warningsOf(large), [], 'as many bytes as a group may have');
  } finally {
    await tables.close();
    await dropKeyspace(keyspace);
  }
});

test('a write of a new owner wins over one by a clock ahead of its own', async () => {
  const keyspace = `test_${randomBytes(6).toString('hex')}`;
  const open = (floorMs: number) => {
    const timestamps = new WriteTimestamps(() => Math.max(Date.now(), floorMs + 1));
    const few = [cursors];
    return CassandraTables.open({ ...cassandraAddress(), keyspace, replication: 1, log, timestamps, tables: few });
  };
  const aheadMs = Date.now() + 60_000;
  const [ahead, behind, behindItsFloor] = [await open(aheadMs), await open(aheadMs + 1_000), await open(0)];
  const key = { actor: 'account/1' };
  const seen = async (tables: CassandraTables) => (await tables.get(cursors, key))?.beforeReply;
  try {
    await ahead.write([put(cursors, key, { beforeReply: 1, afterReply: 1 })]);
    await behindItsFloor.write([put(cursors, key, { beforeReply: 2, afterReply: 2 })]);
    assert.equal(await seen(behind), 1, 'without the floor the clocks decide');
    await behind.write([put(cursors, key, { beforeReply: 3, afterReply: 3 })]);
    assert.equal(await seen(behind), 3);
  } finally {
    await Promise.all([ahead.close(), behind.close(), behindItsFloor.close()]);
    await dropKeyspace(keyspace);
  }
});

test('a removal over what another node wrote wins in both directions of clock skew, and a token may be revoked by it', async () => {
  const keyspace = `test_${randomBytes(6).toString('hex')}`;
  const open = (aheadMs: number) => {
    const timestamps = new WriteTimestamps(() => Date.now() + aheadMs);
    const few = [tokens, appTokens];
    return CassandraTables.open({ ...cassandraAddress(), keyspace, replication: 1, log, timestamps, tables: few });
  };
  const [ahead, behind] = [await open(300_000), await open(-300_000)];
  const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
  const token = { clientId: 'app', scopes: ['read'], kind: 'access', atMs: 1 };
  try {
    for (const [issuer, revoker] of [[ahead, behind] as const, [behind, ahead] as const]) {
      const hash = randomBytes(8).toString('hex');
      await new Registrar(issuer, clock).putAppToken(hash, token);
      assert.ok(await revoker.get(tokens, { hash }));
      await new Registrar(revoker, clock).removeAppToken(hash, token);
      assert.equal(await issuer.get(tokens, { hash }), undefined);
    }
  } finally {
    await Promise.all([ahead.close(), behind.close()]);
    await dropKeyspace(keyspace);
  }
});

test('statements name their keyspace, so that a server that evicted them does not confuse keyspaces', async () => {
  const keyspace = `test_${randomBytes(6).toString('hex')}`;
  const few = [cursors, journal, names];
  const tables = await CassandraTables.open({ ...cassandraAddress(), keyspace, replication: 1, log, tables: few });
  try {
    const key = { actor: 'account/1' };
    await tables.write([put(cursors, key, { beforeReply: 1, afterReply: 1 })]);
    await tables.write([remove(cursors, key)]);
    await tables.get(cursors, key);
    await tables.range(journal, { actor: 'account/1', bucket: 0 }, { limit: 1 });
    await tables.compareAndSet(names, { name: 'ada' }, undefined, { id: '1', atMs: 0, confirmed: false });
    const ours = (await preparedFor(keyspace)).filter((query) => !/^CREATE|system_schema/.test(query));
    assert.equal(ours.length, 5);
    for (const query of ours) assert.match(query, new RegExp(`"${keyspace}"\\."`));
  } finally {
    await tables.close();
    await dropKeyspace(keyspace);
  }
});

test('a node with another data centre than the first one is refused, with the right one in the error', async () => {
  const keyspace = `test_${randomBytes(6).toString('hex')}`;
  const options = { ...cassandraAddress(), keyspace, replication: 1, log, tables: [storeHome] };
  const { localDataCenter: own } = options;
  try {
    const first = await CassandraTables.open(options);
    assert.deepEqual(await first.get(storeHome, { century: 0 }), { dataCenter: own });
    const again = await CassandraTables.open(options);
    await again.close();
    await first.compareAndSet(storeHome, { century: 0 }, { dataCenter: own }, { dataCenter: 'elsewhere' });
    await first.close();
    await assert.rejects(CassandraTables.open(options), {
      name: 'Misconfigured',
      message:
        `the nodes of keyspace ${keyspace} use the data centre elsewhere of Cassandra, and CASSANDRA_LOCAL_DC is ` +
        `${own}: set it to elsewhere; nodes in several data centres are not supported`,
    });
  } finally {
    await dropKeyspace(keyspace);
  }
});

test('a Cassandra that does not answer is Unavailable, and the error names its address', async () => {
  const nobody = {
    contactPoints: ['127.0.1.9:1'],
    localDataCenter: 'datacenter1',
    keyspace: 'none',
    replication: 1,
    timestamps: new WriteTimestamps(() => Date.now()),
    log,
    clock: systemClock,
  };
  await assert.rejects(CassandraTables.open(nobody), (error) => {
    assert.ok(error instanceof Unavailable);
    assert.match(error.message, /127\.0\.1\.9:1/);
    return true;
  });
});

test('tombstones of backlog rows stay for an hour, also in an existing table', async () => {
  const keyspace = `test_${randomBytes(6).toString('hex')}`;
  const tables = [backlog, cursors];
  const start = () => CassandraTables.open({ ...cassandraAddress(), keyspace, replication: 1, log, tables });
  try {
    await (await start()).close();
    assert.equal(await gcGraceSeconds(keyspace, 'backlog'), 3_600);
    assert.equal(await gcGraceSeconds(keyspace, 'cursors'), 864_000);
    assert.equal(await gcGraceSeconds(keyspace, 'backlog', 864_000), 864_000);
    await (await start()).close();
    assert.equal(await gcGraceSeconds(keyspace, 'backlog'), 3_600);
  } finally {
    await dropKeyspace(keyspace);
  }
});

test('conditional changes ask all replicas at once, also in an existing table', async () => {
  const keyspace = `test_${randomBytes(6).toString('hex')}`;
  const tables = [members, cursors];
  const start = () => CassandraTables.open({ ...cassandraAddress(), keyspace, replication: 1, log, tables });
  try {
    await (await start()).close();
    assert.equal(await speculativeRetry(keyspace, 'members'), 'ALWAYS');
    assert.equal(await speculativeRetry(keyspace, 'members', '99p'), '99p');
    assert.equal(await speculativeRetry(keyspace, 'cursors', 'NEVER'), 'NEVER');
    await (await start()).close();
    assert.equal(await speculativeRetry(keyspace, 'members'), 'ALWAYS');
    assert.equal(await speculativeRetry(keyspace, 'cursors'), 'NEVER', 'an operator decides for other tables');
  } finally {
    await dropKeyspace(keyspace);
  }
});

test('a new node reads a lane of many thousand handled alarms quickly', async () => {
  const keyspace = `test_${randomBytes(6).toString('hex')}`;
  const start = { ...cassandraAddress(), keyspace, replication: 1, log, tables: [alarms, alarmFloors] };
  const tables = await CassandraTables.open(start);
  try {
    assert.equal(await gcGraceSeconds(keyspace, 'alarms'), 3_600);
    const nowMs = Date.now();
    const id = makeId(nowMs, 7, 0);
    const { lane } = alarmKey('account', id, nowMs, '');
    for (let n = 0; n < FINISHED_ROWS; n += 128) {
      const keys = Array.from({ length: 128 }, (_, more) =>
        alarmKey('account', id, nowMs - 6 * 3_600_000 + (n + more), 'uploads'),
      );
      await tables.write(keys.map((key) => remove(alarms, key)));
    }
    const due = alarmKey('account', id, nowMs - 60_000, 'due');
    await tables.write([put(alarms, due, { atMs: nowMs - 60_000 })]);
    const first = new AlarmLane(
      lane,
      tables,
      () => systemClock.nowMs(),
      () => true,
    );
    assert.deepEqual(
      (await first.read(nowMs)).map(({ key }) => key.what),
      ['due'],
    );
    await first.keepFloor();
    const beganMs = performance.now();
    const fresh = new AlarmLane(
      lane,
      tables,
      () => systemClock.nowMs(),
      () => true,
    );
    assert.deepEqual(
      (await fresh.read(nowMs)).map(({ key }) => key),
      [due],
    );
    assert.ok(performance.now() - beganMs < FRESH_READ_MS_MAX);
    assert.ok(((await tables.get(alarmFloors, { lane }))?.atMs ?? 0) > nowMs - 2 * 3_600_000);
  } finally {
    await tables.close();
    await dropKeyspace(keyspace);
  }
});

test('a second scan of a backlog begins after the finished rows', async () => {
  const keyspace = `test_${randomBytes(6).toString('hex')}`;
  const start = { ...cassandraAddress(), keyspace, replication: 1, log, tables: [backlog, backlogFloors] };
  const tables = await CassandraTables.open(start);
  try {
    const shard = 7;
    // Finished hours ago: a part of a busy shard's rows of ten days, which took half a second to skip.
    const atMs = Date.now() - 6 * 3_600_000;
    for (let seq = 0; seq < FINISHED_ROWS; seq += 128) {
      const keys = Array.from({ length: 128 }, (_, n) => ({
        shard,
        actor: backlogKey(atMs, 'notebook/1', seq + n, 1),
      }));
      await tables.write(keys.map((key) => remove(backlog, key)));
    }
    const scan = new BacklogScan(tables, systemClock, () => true);
    await scan.read(shard, () => undefined);
    await scan.raise();
    scan.forget(shard);
    const bounds: string[] = [];
    const watched = new BacklogScan(
      {
        get: (table, key) => tables.get(table, key),
        write: (rows) => tables.write(rows),
        range: (table, partition, options) => {
          bounds.push(String((options.after as { actor?: string } | undefined)?.actor));
          return tables.range(table, partition, options);
        },
      } as Tables,
      systemClock,
      () => true,
    );
    await watched.read(shard, () => undefined);
    assert.ok(Number(bounds[0]) > atMs, 'the scan begins behind what is finished');
  } finally {
    await tables.close();
    await dropKeyspace(keyspace);
  }
});
