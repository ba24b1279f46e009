import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PublicRing } from '../../../actors/timelines/public-ring.js';
import { until } from '../../kit/time/until.js';

const id18 = (n: number) => String(n).padStart(18, '0');
const newest = { before: undefined, after: undefined, upwards: false, limit: 2 };

test('the ring is filled at the first read, accepts deliveries meanwhile, and returns where the store continues', async () => {
  const ring = new PublicRing({
    recent: async () => ({ ids: [30, 20].map(id18), complete: false }),
    log: { warn: () => {} },
  });
  ring.deliver(id18(5));
  assert.equal(ring.read(newest).rest, 'none');
  ring.deliver(id18(40));
  await until('filled', () => ring.read(newest).rest !== 'none' || undefined, 1_000);
  assert.deepEqual(ring.read(newest), { ids: [40, 30].map(id18), rest: 'ring', floor: id18(20) });
  assert.deepEqual(ring.read({ ...newest, before: id18(30) }), { ids: [id18(20)], rest: 'store', floor: id18(20) });
  assert.deepEqual(ring.read({ ...newest, after: id18(30), upwards: true }).ids, [id18(40)]);
  assert.equal(ring.read({ ...newest, after: id18(10), upwards: true }).rest, 'store');
});

test('a failed read of the store, and a gap on the bus, leave no ring', async () => {
  let fails = true;
  const ring = new PublicRing({
    recent: async () => {
      if (fails) throw new Error('down');
      return { ids: [id18(10)], complete: true };
    },
    log: { warn: () => {} },
  });
  assert.equal(ring.read(newest).rest, 'none');
  await new Promise((resolve) => setImmediate(resolve));
  fails = false;
  await until('filled', () => ring.read(newest).rest === 'end' || undefined, 1_000);
  ring.close();
  assert.equal(ring.read(newest).rest, 'none');
});

test('a complete ring without ids ends at once, in both directions, until a status is delivered', async () => {
  const ring = new PublicRing({
    recent: async () => ({ ids: [], complete: true }),
    log: { warn: () => {} },
  });
  await until('filled', () => ring.read(newest).rest !== 'none' || undefined, 1_000);
  const none = { ids: [], rest: 'end', floor: id18(0) };
  assert.deepEqual(ring.read(newest), none);
  assert.deepEqual(ring.read({ ...newest, after: id18(10), upwards: true }), none);
  ring.deliver(id18(20));
  assert.deepEqual(ring.read(newest), { ids: [id18(20)], rest: 'end', floor: id18(0) });
});
