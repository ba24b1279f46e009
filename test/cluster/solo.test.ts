import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SHARDS } from '../../actors/domain/ids.js';
import type { ShardHost } from '../../actors/runtime/placement.js';
import { SoloPlacement } from '../../cluster/solo.js';
import { MemoryTables } from '../../store/memory/memory-tables.js';
import { VirtualClock } from '../kit/virtual-clock.js';
import { SeededRandom } from '../simulation/world.js';

function host(): ShardHost & { running: number } {
  return {
    running: 0,
    async acquire(shards) {
      this.running += shards.length;
    },
    async release(shards) {
      this.running -= shards.length;
    },
    prime: () => undefined,
    abandon: () => undefined,
  };
}

const context = (tables: MemoryTables, clock = new VirtualClock()) => ({
  tables,
  clock,
  random: new SeededRandom(1),
  cluster: 'solo',
  name: 'one',
});

test('a node alone owns every shard once started, under an epoch that grows with each start', async () => {
  const tables = new MemoryTables();
  const epochs: (number | undefined)[] = [];
  for (let start = 0; start < 3; start++) {
    const solo = new SoloPlacement(context(tables));
    const shards = host();
    assert.equal(solo.epochOf(0), undefined);
    assert.equal(solo.readiness().ready, false);
    await solo.start(shards);
    assert.equal(shards.running, SHARDS);
    assert.equal(solo.readiness().ready, true);
    assert.equal(solo.epochOf(0), solo.epochOf(SHARDS - 1));
    epochs.push(solo.epochOf(0));
  }
  assert.deepEqual(epochs, [1, 2, 3]);
});

test('its ids begin after the time of its start, and never below an earlier floor', async () => {
  const tables = new MemoryTables();
  const clock = new VirtualClock();
  const first = new SoloPlacement(context(tables, clock));
  await first.start(host());
  assert.equal(first.idFloorMs(), clock.nowMs());
  clock.skewMs = -60_000;
  const second = new SoloPlacement(context(tables, clock));
  await second.start(host());
  assert.equal(second.idFloorMs(), first.idFloorMs());
});

test('after the drain it owns nothing', async () => {
  const solo = new SoloPlacement(context(new MemoryTables()));
  const shards = host();
  await solo.start(shards);
  await solo.drain();
  assert.equal(shards.running, 0);
  assert.equal(solo.epochOf(0), undefined);
});
