import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IDS_PER_MS, idMs, idShard } from '../../../../actors/domain/ids.js';
import { Minter } from '../../../../actors/runtime/placement/minter.js';
import { StampClock } from '../../../../actors/runtime/placement/stamp-clock.js';
import { VirtualClock } from '../../../kit/time/virtual-clock.js';

test('ids of a shard ascend, also above the capacity of one millisecond', () => {
  const clock = new VirtualClock();
  const minter = new Minter(7, () => clock.nowMs());
  const ids = Array.from({ length: IDS_PER_MS * 3 }, () => minter.next());
  assert.deepEqual([...ids].sort(), ids);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => idShard(id) === 7));
  assert.equal(idMs(ids.at(-1) as string) - idMs(ids[0] as string), 2);
});

test('ids ascend when the wall clock steps back', async () => {
  const clock = new VirtualClock();
  const minter = new Minter(7, () => clock.nowMs());
  const before = minter.next();
  clock.skewMs = -10_000;
  assert.ok(minter.next() > before);
});

test('ids are above a floor that lies in the future', () => {
  const clock = new VirtualClock();
  const placement = { idFloorMs: () => clock.nowMs() + 5_000 };
  const stamps = new StampClock(clock, placement);
  const minter = new Minter(7, () => stamps.nowMs());
  assert.equal(idMs(minter.next()), clock.nowMs() + 5_001);
});

test('ids of different shards are in the order of time while the floor lies in the future', async () => {
  const clock = new VirtualClock();
  const floorMs = clock.nowMs() + 300_000;
  const stamps = new StampClock(clock, { idFloorMs: () => floorMs });
  const [busy, calm] = [new Minter(7, () => stamps.nowMs()), new Minter(3, () => stamps.nowMs())];
  let last = '';
  for (let round = 0; round < 20; round++) {
    for (let count = 0; count < IDS_PER_MS; count++) last = busy.next();
    await clock.advance(10);
    const id = calm.next();
    assert.ok(id > last, `${id} after ${last}`);
    last = id;
    await clock.advance(10);
  }
});

test('ids of a clock that jumps ahead wait for the stored ceiling', () => {
  const clock = new VirtualClock();
  let ceilingMs = clock.nowMs() + 6_000;
  const placement = { idFloorMs: () => 0, idCeilingMs: () => ceilingMs };
  const stamps = new StampClock(clock, placement);
  const minter = new Minter(7, () => stamps.nowMs());
  const before = minter.next();
  clock.skewMs = 3_600_000;
  const during = minter.next();
  assert.ok(during > before);
  assert.equal(idMs(during), ceilingMs);
  ceilingMs += 3_600_000;
  assert.equal(idMs(minter.next()), clock.nowMs());
});

test('ids follow the clocks of most members when this node’s clock is wrong', async () => {
  const clock = new VirtualClock();
  const startMs = clock.nowMs();
  const clusterMs = () => startMs + clock.monotonicMs() - started;
  const started = clock.monotonicMs();
  const stamps = new StampClock(clock, { idFloorMs: () => 0, clusterMs });
  const minter = new Minter(7, () => stamps.nowMs());
  for (const skewMs of [300_000, -300_000]) {
    clock.skewMs = skewMs;
    for (let count = 0; count < 10; count++) {
      await clock.advance(1_000);
      assert.ok(Math.abs(idMs(minter.next()) - clusterMs()) <= 500, `${idMs(minter.next())} at ${clusterMs()}`);
    }
  }
});
