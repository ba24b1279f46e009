import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SHARDS } from '../../actors/domain/ids.js';
import { Minter } from '../../actors/runtime/placement/minter.js';
import type { ShardHost } from '../../actors/runtime/placement/placement.js';
import { StampClock } from '../../actors/runtime/placement/stamp-clock.js';
import { SoloPlacement } from '../../cluster/solo.js';
import { MemoryTables } from '../../store/memory/memory-tables.js';
import { VirtualClock } from '../kit/time/virtual-clock.js';
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

const context = (tables: MemoryTables, clock = new VirtualClock(), format = 1) => ({
  tables,
  clock,
  random: new SeededRandom(1),
  log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  cluster: 'solo',
  name: 'one',
  program: { version: `0.${format}`, format },
  stampedMs: () => 0,
});

test('a single node owns every shard once started, under an epoch that grows with each start', async () => {
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

test('ids of a start are above all of an earlier one, even if the clock was set back an hour between the two', async () => {
  const tables = new MemoryTables();
  const clock = new VirtualClock();
  const minted = new Set<string>();
  let last = '';
  const mint = async (solo: SoloPlacement) => {
    const stamps = new StampClock(clock, solo);
    const minter = new Minter(7, () => stamps.nowMs());
    for (let count = 0; count < 200; count++) {
      const id = minter.next();
      assert.ok(id > last, `${id} after ${last}`);
      minted.add(id);
      last = id;
      await clock.advance(100);
    }
  };
  for (let start = 0; start < 3; start++) {
    const solo = new SoloPlacement(context(tables, clock));
    await solo.start(host());
    await mint(solo);
    // Killed: the end is not recorded.
    clock.skewMs -= 3_600_000;
  }
  assert.equal(minted.size, 600);
});

test('steady time continues across starts, without steps of the clock and the time in between', async () => {
  const tables = new MemoryTables();
  const clock = new VirtualClock();
  const startMs = clock.nowMs();
  const first = new SoloPlacement(context(tables, clock));
  assert.equal(first.steadyMs(), undefined);
  await first.start(host());
  clock.skewMs += 7_200_000;
  await clock.advance(12_000);
  assert.equal(first.steadyMs(), startMs + 12_000);
  // Killed: only the last stored time, at most five seconds old, is available.
  clock.skewMs += 7_200_000;
  const second = new SoloPlacement(context(tables, clock));
  await second.start(host());
  await clock.advance(1_000);
  assert.equal(second.steadyMs(), startMs + 10_000 + 1_000);
  await second.drain();
  const third = new SoloPlacement(context(tables, clock));
  await third.start(host());
  assert.equal(third.steadyMs(), startMs + 10_000 + 1_000);
});

test('a step of the clock does not change the time of alarms’ rows until the next start', async () => {
  const tables = new MemoryTables();
  const clock = new VirtualClock();
  const solo = new SoloPlacement(context(tables, clock));
  const startMs = clock.nowMs();
  clock.skewMs += 7_200_000;
  await clock.advance(12_000);
  assert.equal(solo.unsteppedMs(), startMs + 12_000);
  assert.equal(new SoloPlacement(context(tables, clock)).unsteppedMs(), clock.nowMs());
});

test('ids of a start begin at the clock after an orderly stop, and some seconds ahead of it after a kill', async () => {
  const tables = new MemoryTables();
  const clock = new VirtualClock();
  const first = new SoloPlacement(context(tables, clock));
  await first.start(host());
  assert.equal(first.idFloorMs(), clock.nowMs());
  await first.drain();
  const second = new SoloPlacement(context(tables, clock));
  await second.start(host());
  assert.equal(second.idFloorMs(), clock.nowMs());
  const third = new SoloPlacement(context(tables, clock));
  await third.start(host());
  assert.ok(third.idFloorMs() > clock.nowMs() && third.idFloorMs() < clock.nowMs() + 10_000);
});

test('after the drain it owns nothing', async () => {
  const solo = new SoloPlacement(context(new MemoryTables()));
  const shards = host();
  await solo.start(shards);
  await solo.drain();
  assert.equal(shards.running, 0);
  assert.equal(solo.epochOf(0), undefined);
});

test('an older program does not start on data that a newer one has used, and changes nothing', async () => {
  const tables = new MemoryTables();
  const clock = new VirtualClock();
  const newer = new SoloPlacement(context(tables, clock, 2));
  await newer.start(host());
  assert.equal(newer.format(), 2);
  await newer.drain();
  const shards = host();
  const older = new SoloPlacement(context(tables, clock, 1));
  await assert.rejects(older.start(shards), {
    name: 'FormatTooOld',
    message:
      'this program (version 0.1) knows format 1, and the stored data have format 2 since version 0.2: ' +
      'start that version or a later one, or restore a backup',
  });
  assert.equal(shards.running, 0);
  const again = new SoloPlacement(context(tables, clock, 3));
  await again.start(host());
  assert.equal(again.format(), 3);
});
