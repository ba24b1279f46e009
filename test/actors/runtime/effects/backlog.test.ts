import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId, SHARDS } from '../../../../actors/domain/ids.js';
import { Unavailable } from '../../../../actors/domain/problem.js';
import { BacklogScan, backlogActor, backlogKey } from '../../../../actors/runtime/effects/backlog.js';
import { MemoryTables } from '../../../../store/memory/memory-tables.js';
import { put, remove, type Tables } from '../../../../store/port.js';
import { backlog, backlogFloors, cursors, journal } from '../../../../store/tables.js';
import { notebook } from '../../../kit/actors/notebook.js';
import { STAGE_SHARDS, Stage } from '../../../kit/actors/stage.js';
import { VirtualClock } from '../../../kit/time/virtual-clock.js';

const HOUR_MS = 3_600_000;
const shard = 1;
const id = makeId(1_767_225_600_000, shard, 0);
const actor = `notebook/${id}`;

function scanned() {
  const clock = new VirtualClock();
  const shared = new MemoryTables();
  const after: string[] = [];
  const tables = new Proxy(shared, {
    get(target, name) {
      if (name !== 'range') return Reflect.get(target, name).bind(target);
      return (
        table: typeof backlog,
        partition: { shard: number },
        options: { after: { actor: string }; limit: number },
      ) => {
        after.push(options.after.actor);
        return target.range(table, partition, options);
      };
    },
  });
  const scan = new BacklogScan(tables, clock, () => true);
  const read = async () => {
    const found: string[] = [];
    await scan.read(shard, (keys) => found.push(...keys));
    return found;
  };
  return { clock, shared, scan, after, read };
}

test('a key contains its actor and sorts by its time', () => {
  assert.equal(backlogActor(backlogKey(5, actor, 7, 3)), actor);
  assert.ok(backlogKey(999, actor, 9, 1) < backlogKey(1_000, actor, 1, 1));
});

test('a scan begins at the stored floor, some hours behind the clock, also for the next owner', async () => {
  const { clock, shared, scan, after, read } = scanned();
  await read();
  assert.equal(Number(after[0]), 0);
  assert.equal(await shared.get(backlogFloors, { shard }), undefined, 'a scan writes no floor');
  await scan.raise();
  const firstMs = clock.nowMs();
  await clock.advance(24 * HOUR_MS);
  await read();
  assert.equal(Number(after[1]), firstMs - 4 * HOUR_MS);
  await scan.raise();
  scan.forget(shard);
  await read();
  assert.equal(Number(after[2]), firstMs + 20 * HOUR_MS);
  assert.deepEqual(await shared.get(backlogFloors, { shard }), { atMs: firstMs + 20 * HOUR_MS });
});

test('a remaining row is found by each scan and does not hold the floor down', async () => {
  const { clock, shared, scan, after, read } = scanned();
  await shared.write([put(backlog, { shard, actor: backlogKey(clock.nowMs(), actor, 1, 1) }, { atMs: clock.nowMs() })]);
  for (let hour = 0; hour < 48; hour++) {
    const found = await read();
    assert.deepEqual(new Set(found.map(backlogActor)), new Set([actor]));
    await scan.raise();
    await clock.advance(HOUR_MS);
  }
  assert.ok(clock.nowMs() - Number(after.at(-1)) < 8 * HOUR_MS);
  assert.equal((await shared.range(backlog, { shard }, { limit: 10 })).length, 1);
});

test('the floors of all shards of a node are raised in few writes, those of lost shards in none', async () => {
  const clock = new VirtualClock();
  const tables = new MemoryTables();
  const writes: number[] = [];
  const write = tables.write.bind(tables);
  tables.write = (rows, ...more) => {
    writes.push(rows.length);
    return write(rows, ...more);
  };
  const scan = new BacklogScan(tables, clock, (one) => one !== 7);
  for (let one = 0; one < SHARDS; one++) await scan.read(one, () => undefined);
  assert.deepEqual(writes, []);
  await scan.raise();
  assert.equal(writes.length, SHARDS / 128);
  assert.equal(
    writes.reduce((sum, rows) => sum + rows, 0),
    SHARDS - 1,
  );
  assert.equal(await tables.get(backlogFloors, { shard: 7 }), undefined);
});

test('a row that is stored hours late is found', async () => {
  const { clock, shared, scan, read } = scanned();
  await clock.advance(24 * HOUR_MS);
  await read();
  await scan.raise();
  const key = backlogKey(clock.nowMs() - 3 * HOUR_MS, actor, 1, 1);
  await shared.write([put(backlog, { shard, actor: key }, { atMs: 1 }), remove(backlog, { shard, actor: 'none' })]);
  assert.ok((await read()).includes(key));
});

test('only the shards that the store lists as filled are scanned, all of them while it cannot answer', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  for (const isAway of [false, true]) {
    const scanned: number[] = [];
    const wrap = (tables: Tables) =>
      new Proxy(tables, {
        get(target, name) {
          if (name === 'partitions')
            return async () => (isAway ? Promise.reject(new Unavailable('away')) : [{ shard }]);
          if (name !== 'range') return Reflect.get(target, name)?.bind(target);
          return (table: typeof backlog, partition: { shard: number }, options: { limit: number }) => {
            if (table === backlog) scanned.push(partition.shard);
            return target.range(table, partition, options);
          };
        },
      });
    const node = await stage.node(1, {}, [notebook()], wrap);
    assert.deepEqual(scanned.sort(), isAway ? [...STAGE_SHARDS] : [shard]);
    stage.kill(node);
  }
});

test('a renewed row is removed once its actor is done', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime, store } = await stage.node(1);
  store.beforeWrite = (rows) => {
    if (rows.some(({ table }) => table.name === 'test_pages')) throw new Unavailable('no pages');
  };
  const asked = runtime.ask('notebook', id, 'add', { text: 'hello' });
  await stage.clock.advance(10_000);
  await asked;
  const keys = async () => (await stage.shared.range(backlog, { shard }, { limit: 10 })).map((row) => row.key.actor);
  const [first] = await keys();
  await stage.clock.advance(2 * HOUR_MS);
  const [renewed, ...others] = await keys();
  assert.deepEqual(others, []);
  assert.notEqual(renewed, first);
  store.mend();
  await stage.clock.advance(120_000);
  assert.deepEqual(await keys(), []);
});

test('hundreds of failed appends leave one backlog row, and the cursor is saved afterwards', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime, store } = await stage.node(1);
  await runtime.ask('notebook', id, 'add', { text: 'first' });
  store.breakWrites(journal);
  for (let n = 0; n < 300; n++) {
    await assert.rejects(runtime.ask('notebook', id, 'add', { text: 'refused' }), Unavailable);
    await stage.clock.advance(1_500);
  }
  store.mend();
  await stage.clock.advance(10_000);
  await runtime.ask('notebook', id, 'add', { text: 'last' });
  await stage.clock.advance(20_000);
  const cursor = await stage.shared.get(cursors, { actor });
  const { lines } = (await runtime.ask('notebook', id, 'read', {})) as { lines: string[] };
  assert.equal(cursor?.afterReply, cursor?.beforeReply);
  assert.ok((cursor?.afterReply ?? 0) >= lines.length);
  assert.deepEqual(await stage.shared.range(backlog, { shard }, { limit: 10 }), []);
});

test('more backlog rows than one write may have are removed in slices', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const atMs = stage.clock.nowMs();
  for (let seq = 1; seq <= 600; seq++)
    await stage.shared.write([put(backlog, { shard, actor: backlogKey(atMs, actor, seq, 1) }, { atMs })]);
  await stage.node(2);
  await stage.clock.advance(120_000);
  assert.deepEqual(await stage.shared.range(backlog, { shard }, { limit: 10 }), []);
});
