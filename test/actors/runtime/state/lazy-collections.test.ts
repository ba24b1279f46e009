import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LazyMap, LazySet } from '../../../../actors/runtime/state/lazy-collections.js';
import { fc } from '../../../kit/property.js';

/** Keys of so few values that many are set again and deleted. */
const key = fc.integer({ min: 0, max: 4 });
const change = fc.oneof(
  fc.record({ put: key, value: fc.nat(9) }),
  fc.record({ drop: key }),
  fc.constant({ clear: true as const }),
);
const changes = fc.array(change, { maxLength: 20 });

test('a lazy map answers as a Map does after each change', () => {
  fc.assert(
    fc.property(changes, (all) => {
      const [lazy, model] = [new LazyMap<number, number>(), new Map<number, number>()];
      for (const one of all) {
        if ('put' in one) assert.deepEqual([...lazy.set(one.put, one.value)], [...model.set(one.put, one.value)]);
        else if ('drop' in one) assert.equal(lazy.delete(one.drop), model.delete(one.drop));
        else assert.equal(lazy.clear(), model.clear());
        assert.deepEqual([...lazy], [...model]);
        assert.deepEqual([[...lazy.keys()], [...lazy.values()]], [[...model.keys()], [...model.values()]]);
        assert.deepEqual(visited(lazy), visited(model));
        assert.equal(lazy.size, model.size);
        for (let at = 0; at <= 4; at++) assert.deepEqual([lazy.has(at), lazy.get(at)], [model.has(at), model.get(at)]);
        assert.deepEqual(lazy, new LazyMap(model));
      }
    }),
  );
});

test('a lazy set answers as a Set does after each change', () => {
  fc.assert(
    fc.property(changes, (all) => {
      const [lazy, model] = [new LazySet<number>(), new Set<number>()];
      for (const one of all) {
        if ('put' in one) assert.deepEqual([...lazy.add(one.put)], [...model.add(one.put)]);
        else if ('drop' in one) assert.equal(lazy.delete(one.drop), model.delete(one.drop));
        else assert.equal(lazy.clear(), model.clear());
        assert.deepEqual([[...lazy], [...lazy.keys()]], [[...model], [...model.keys()]]);
        assert.deepEqual([[...lazy.entries()], visited(lazy)], [[...model.entries()], visited(model)]);
        assert.equal(lazy.size, model.size);
        for (let at = 0; at <= 4; at++) assert.equal(lazy.has(at), model.has(at));
        assert.deepEqual(lazy, new LazySet(model));
      }
    }),
  );
});

test('elements may be deleted while they are visited', () => {
  const [map, set] = [new LazyMap([[1, 'a']]), new LazySet([1])];
  for (const one of map.keys()) map.delete(one);
  for (const one of set) set.delete(one);
  assert.deepEqual([map, set], [new LazyMap(), new LazySet()]);
});

function visited<T>(all: { forEach(visit: (one: T, key: unknown) => void): void }): (readonly [T, unknown])[] {
  const found: (readonly [T, unknown])[] = [];
  all.forEach((one, at) => void found.push([one, at]));
  return found;
}
