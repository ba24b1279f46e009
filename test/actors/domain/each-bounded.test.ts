import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachBounded } from '../../../actors/domain/each-bounded.js';

test('work runs at most so many times at once, and its results have the order of the items', async () => {
  let running = 0;
  let most = 0;
  const ends: (() => void)[] = [];
  const work = async (item: number) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((end) => void ends.push(end));
    running -= 1;
    return item * 10;
  };
  const done = eachBounded(new Set([1, 2, 3, 4]), 2, work);
  for (let ended = 0; ended < 4; ended++) {
    while (ends.length === 0) await Promise.resolve();
    ends.pop()?.();
  }
  assert.deepEqual([await done, most], [[10, 20, 30, 40], 2]);
});

test('the first failure rejects, and nothing runs for no items', async () => {
  const failing = eachBounded([1, 2], 1, async () => Promise.reject(new Error('no')));
  await assert.rejects(failing, /no/);
  assert.deepEqual(await eachBounded([], 4, () => assert.fail()), []);
});

test('without items no worker starts', async () => {
  let asked = 0;
  const none: Iterator<number> = {
    next: () => {
      asked += 1;
      return { done: true, value: undefined };
    },
  };
  assert.deepEqual(await eachBounded({ [Symbol.iterator]: () => none }, 8, () => assert.fail()), []);
  assert.equal(asked, 1);
});
