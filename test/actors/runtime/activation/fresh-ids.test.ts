import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FreshIds } from '../../../../actors/runtime/activation/fresh-ids.js';

test('an id is fresh once, and only under the epoch in which it was minted', () => {
  const fresh = new FreshIds();
  fresh.add('1', 7);
  fresh.add('2', 7);
  assert.equal(fresh.take('1', 7), true);
  assert.equal(fresh.take('1', 7), false, 'the activation may have stored something');
  assert.equal(fresh.take('2', 8), false, 'another owner may have existed meanwhile');
  assert.equal(fresh.take('2', 7), false);
  assert.equal(fresh.take('3', 7), false, 'an id that was not minted here');
});

test('an evicted id is not fresh, and at least half of the maximum is stored', () => {
  const fresh = new FreshIds(4);
  for (const id of ['1', '2', '3', '4', '5']) fresh.add(id, 1);
  assert.deepEqual(
    ['1', '2', '3', '4', '5'].map((id) => fresh.take(id, 1)),
    [false, false, true, true, true],
  );
});

test('an id with an earlier activation is not fresh', () => {
  const fresh = new FreshIds();
  fresh.add('1', 1);
  fresh.forget('1');
  assert.equal(fresh.take('1', 1), false);
});
