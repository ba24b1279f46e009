import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogBound } from '../../../actors/domain/log-bound.js';

test('a bounded number of lines is logged in a span, and the next line counts the omitted ones', () => {
  const bound = new LogBound(2, 1_000);
  assert.deepEqual(
    [0, 10, 20, 999].map((nowMs) => bound.admits(nowMs)),
    [{}, {}, undefined, undefined],
  );
  assert.deepEqual(bound.admits(1_000), { leftOut: 2 });
  assert.deepEqual(bound.admits(1_001), {});
  assert.equal(bound.admits(1_999), undefined);
  assert.deepEqual(bound.admits(60_000), { leftOut: 1 });
});
