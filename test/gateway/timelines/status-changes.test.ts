import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHANGED_BUCKET_MS, changedKey } from '../../../actors/domain/changed.js';
import { makeId } from '../../../actors/domain/ids.js';
import { StatusChanges } from '../../../gateway/timelines/status-changes.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { put, type ReadTables, WRITE_ROWS_MAX } from '../../../store/port.js';
import { changedStatuses } from '../../../store/tables.js';
import { plainStatus } from '../streaming/told-status.js';

const T0 = Math.ceil(1_767_225_600_000 / CHANGED_BUCKET_MS) * CHANGED_BUCKET_MS;
const MINUTE_MS = 60_000;

class World {
  nowMs = T0;
  reads = 0;
  readonly tables = new MemoryTables({ nowMs: () => this.nowMs } as never);
  readonly changes = new StatusChanges(
    {
      range: (table, partition, options) => {
        this.reads += 1;
        return this.tables.range(table, partition, options);
      },
    } as Pick<ReadTables, 'range'>,
    { nowMs: () => this.nowMs },
  );
  async write(atMs: readonly number[], shardOf: (index: number) => number): Promise<string[]> {
    const ids = atMs.map((_, index) => makeId(T0 - CHANGED_BUCKET_MS + index, shardOf(index), 0));
    const rows = ids.map((id, index) => put(changedStatuses, changedKey(atMs[index] ?? 0, id), plainStatus(id, '1')));
    for (let from = 0; from < rows.length; from += WRITE_ROWS_MAX)
      await this.tables.write(rows.slice(from, from + WRITE_ROWS_MAX));
    return ids;
  }
  async idsSince(ms: number): Promise<string[]> {
    const found = await this.changes.since(ms);
    assert.ok(found !== 'too_many');
    return found.map(({ status }) => status.id);
  }
}

test('changes of all lanes and several buckets come in the order in which they happened', async () => {
  const world = new World();
  const ids = await world.write(
    [-40, -30, -20, -10, 0, 0.5].map((minutes) => T0 + minutes * MINUTE_MS),
    (index) => index * 3,
  );
  assert.deepEqual(await world.idsSince(T0 - 40 * MINUTE_MS), ids);
  assert.deepEqual(await world.idsSince(T0 - 40 * MINUTE_MS + 1), ids.slice(1));
  assert.deepEqual(await world.idsSince(T0 + MINUTE_MS / 2), ids.slice(5), 'of a node whose clock is ahead');
});

test('callers during a read of the store share the next read', async () => {
  const world = new World();
  const [id = ''] = await world.write([T0], () => 0);
  const [first, ...others] = await Promise.all([
    world.idsSince(T0),
    world.idsSince(T0),
    world.idsSince(T0 - MINUTE_MS),
  ]);
  assert.deepEqual([first, ...others], [[id], [id], [id]]);
  const { reads } = world;
  await Promise.all(Array.from({ length: 100 }, () => world.idsSince(T0)));
  assert.ok(world.reads - reads <= 16, `${world.reads - reads} ranges were read`);
});

test('the newest of more changes than one read takes are found, and the rest is reported as too many', async () => {
  const world = new World();
  const atMs = Array.from({ length: 2_600 }, (_, index) => T0 + index);
  const ids = await world.write(atMs, () => 0);
  world.nowMs = T0 + MINUTE_MS;
  assert.equal(await world.changes.since(T0), 'too_many');
  assert.deepEqual(await world.idsSince(T0 + 2_000), ids.slice(2_000));
});

test('a store failure affects its callers, and no later ones', async () => {
  const world = new World();
  const changes = new StatusChanges(
    { range: async () => (world.reads++ === 0 ? Promise.reject(new Error('away')) : []) },
    { nowMs: () => T0 },
  );
  await assert.rejects(changes.since(T0), /away/);
  assert.deepEqual(await changes.since(T0), []);
});
