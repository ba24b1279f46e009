import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Cache, Caches } from '../../../store/cache/cache.js';
import { fc } from '../../kit/property.js';

const MAX = 8;
const step = fc.record({
  does: fc.constantFrom('set', 'set', 'get', 'get', 'delete'),
  key: fc.integer({ min: 0, max: 15 }).map(String),
});

test('the cache holds the last values, never more than the bound, and always the most recently used half', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const kept = new Cache<{ n: number }>('numbers', MAX, undefined);
      const model = new Map<string, { n: number }>();
      let used: string[] = [];
      for (const [n, { does, key }] of steps.entries()) {
        if (does === 'set') {
          kept.set(key, { n });
          model.set(key, { n });
        } else if (does === 'delete') {
          kept.delete(key);
          model.delete(key);
        } else {
          const found = kept.get(key);
          if (found === undefined) assert.ok(!used.slice(-MAX / 2 + 1).includes(key), `${key} was used just now`);
          else assert.deepEqual(found, model.get(key));
          if (found === undefined) continue;
        }
        used = used.filter((other) => other !== key);
        if (does !== 'delete') used.push(key);
      }
      let count = 0;
      for (let key = 0; key < 16; key++) if (kept.get(String(key)) !== undefined) count += 1;
      assert.ok(count <= MAX);
      kept.clear();
      assert.equal(kept.get('0'), undefined);
    }),
  );
});

test('the weight limit holds under any sets and deletions, and recently used values stay', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.integer({ min: 1, max: 30 })), { maxLength: 200 }), (steps) => {
      const kept = new Cache<{ weight: number }>('weights', 1_000, undefined, { of: ({ weight }) => weight, max: 100 });
      for (const [{ does, key }, weight] of steps) {
        if (does === 'set') kept.set(key, { weight });
        else if (does === 'delete') kept.delete(key);
        else kept.get(key);
        if (does === 'set') assert.deepEqual(kept.get(key), { weight });
        let sum = 0;
        const copy = steps.map(([one]) => one.key).filter((one, index, all) => all.indexOf(one) === index);
        for (const one of copy) sum += kept.peek(one)?.weight ?? 0;
        // The last value of each half may exceed it.
        assert.ok(sum <= 100 + 2 * 30, `${sum}`);
      }
    }),
  );
});

test('a cache counts its values, hits and misses, and caches of one name are added up', () => {
  const caches = new Caches();
  const weighed = new Cache<string>('texts', 100, caches, { of: (text) => text.length, max: 20 });
  const [one, two] = [new Cache<number>('numbers', 4, caches), new Cache<number>('numbers', 6, caches)];
  weighed.set('a', 'abcdef');
  weighed.set('a', 'abc');
  weighed.set('b', 'abcdefghij');
  one.set('a', 1);
  two.set('a', 0);
  for (const key of ['a', 'a', 'b']) one.get(key);
  assert.equal(two.get('a'), 0);
  assert.equal(two.peek('a'), 0);
  assert.deepEqual(caches.figures(), [
    { name: 'texts', entries: 2, entriesMax: 100, weight: 13, weightMax: 20, hits: 0, misses: 0 },
    { name: 'numbers', entries: 2, entriesMax: 10, weight: undefined, weightMax: undefined, hits: 3, misses: 1 },
  ]);
  weighed.clear();
  assert.deepEqual([caches.figures()[0]?.entries, caches.figures()[0]?.weight], [0, 0]);
});
