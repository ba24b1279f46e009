import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HotActors } from '../../../../actors/runtime/activation/hot-actors.js';

const MINUTE_MS = 60_000;
const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
const many = (hot: HotActors, id: string, count: number) => {
  for (let done = 0; done < count; done++) hot.count(id);
};

/** Asserts an estimate: one of five commands is counted. */
const near = (estimate: number | undefined, count: number) =>
  assert.ok(Math.abs((estimate ?? 0) - count) < count * 0.2, `${estimate} for ${count}`);

test('the accounts with the most commands are first, each with about its number', () => {
  const hot = new HotActors(clock);
  many(hot, 'b', 1_000);
  many(hot, 'a', 2_000);
  many(hot, 'c', 500);
  const [first, second, ...rest] = hot.top(2);
  assert.deepEqual([first?.id, second?.id, rest], ['a', 'b', []]);
  near(first?.count, 2_000);
  near(second?.count, 1_000);
});

test('an account with a share of the commands is found among any number of others', () => {
  const hot = new HotActors(clock);
  // Strangers make 49 of 50 commands; an attacker that makes up accounts cannot hide the busy one.
  for (let round = 0; round < 20_000; round++) {
    hot.count(round % 10 === 0 ? 'busy' : `stranger ${round}`);
    for (let other = 0; other < 5; other++) hot.count(`stranger ${round} ${other}`);
  }
  assert.equal(hot.top(1)[0]?.id, 'busy');
  assert.ok(hot.top(1_000).length <= 256);
});

test('commands count for five minutes', () => {
  const hot = new HotActors(clock);
  many(hot, 'a', 1_000);
  clock.nowMs += 3 * MINUTE_MS;
  hot.top(9);
  many(hot, 'b', 500);
  assert.deepEqual(
    hot.top(9).map(({ id }) => id),
    ['a', 'b'],
  );
  clock.nowMs += 2 * MINUTE_MS;
  assert.deepEqual(
    hot.top(9).map(({ id }) => id),
    ['b'],
  );
  clock.nowMs += 100 * MINUTE_MS;
  assert.deepEqual(hot.top(9), []);
  many(hot, 'c', 1_000);
  near(hot.top(9)[0]?.count, 1_000);
});
