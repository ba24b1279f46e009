import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idOf, wordsOf } from '../../../actors/timelines/id-words.js';
import { NO_FLOOR, RING_IDS, Rings } from '../../../actors/timelines/rings.js';
import { fc } from '../../kit/property.js';

const id18 = (n: number | bigint) => String(n).padStart(18, '0');
const everything = { upwards: false, limit: RING_IDS };

test('an id is split into two words and joined, whatever its size', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }), (n) => {
      const { high, low } = wordsOf(id18(n));
      assert.equal(idOf(high, low), id18(n));
    }),
    { numRuns: 2_000 },
  );
});

test('a ring holds the newest ids, ascending and once, whatever order they arrive in', () => {
  const ids = fc.array(fc.integer({ min: 1, max: 3_000 }), { maxLength: 2_500 });
  fc.assert(
    fc.property(ids, fc.constantFrom(0, 6, 60, 3_000), (numbers, apart) => {
      const rings = new Rings();
      rings.empty(7, NO_FLOOR);
      const one = Uint32Array.of(7);
      // Each is at most this far from its sorted place, as statuses that are delivered out of order.
      const late = new Map(numbers.map((n, index) => [n, n + ((index * 7_919) % (apart + 1))]));
      const inTurn = [...numbers].sort((a, b) => (late.get(a) ?? 0) - (late.get(b) ?? 0));
      for (const n of inTurn) rings.deliver(one, 1, 0, n);
      const all = [...new Set(numbers)].sort((a, b) => b - a).map(id18);
      const held = rings.read(7, everything);
      assert.deepEqual(held, all.slice(0, held.length));
      // The lost ids are below the floor, and no others.
      assert.equal(held.length === all.length, rings.floor(7).low === 0);
      if (held.length < all.length) assert.equal(held.at(-1), id18(rings.floor(7).low));
      assert.ok(held.length >= Math.min(all.length, RING_IDS));
    }),
    { numRuns: 300 },
  );
});

test('bounds are exclusive, upwards reads the next above, and nothing below the floor is read', () => {
  const rings = new Rings();
  rings.empty(0, NO_FLOOR);
  for (let n = 1; n <= 20; n++) rings.insert(0, 0, n * 10);
  const read = (bounds: object, limit = 3, upwards = false) => rings.read(0, { ...bounds, upwards, limit }).map(Number);
  const at = (low: number) => ({ high: 0, low });
  assert.deepEqual(read({}), [200, 190, 180]);
  assert.deepEqual(read({ before: at(180) }), [170, 160, 150]);
  assert.deepEqual(read({ before: at(181), after: at(170) }), [180]);
  assert.deepEqual(read({ after: at(50) }, 3, true), [60, 70, 80]);
  assert.deepEqual(read({ after: at(199) }, 3, true), [200]);
  rings.setFloor(0, at(150));
  assert.deepEqual(read({ before: at(170) }), [160, 150]);
  rings.insert(0, 0, 145);
  assert.deepEqual(read({ before: at(170) }), [160, 150]);
});

test('neighbouring rings, in one chunk of memory or several, are independent', () => {
  const rings = new Rings();
  const numbers = [0, 1, 2_047, 2_048, 5_000];
  for (const ring of numbers) rings.empty(ring, NO_FLOOR);
  for (let n = 1; n <= 2_000; n++) rings.deliver(Uint32Array.from(numbers), numbers.length, 0, n);
  for (const ring of numbers) {
    assert.equal(rings.size(ring), RING_IDS);
    assert.deepEqual(rings.read(ring, { upwards: true, limit: 1 }).map(Number), [2_001 - RING_IDS]);
  }
});
