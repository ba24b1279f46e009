import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Generations } from '../../../store/cache/generations.js';
import { fc } from '../../kit/property.js';

const MAX = 8;
const step = fc.record({
  does: fc.constantFrom('set', 'set', 'get', 'get', 'delete'),
  key: fc.integer({ min: 0, max: 15 }).map(String),
});

test('the cache holds the last values, never more than the bound, and always the most recently used half', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const kept = new Generations<{ n: number }>(MAX);
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
      const kept = new Generations<{ weight: number }>(1_000, { of: ({ weight }) => weight, max: 100 });
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
