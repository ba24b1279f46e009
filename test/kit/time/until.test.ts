import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './until.js';

test('neither undefined nor false is what is waited for; an empty text and 0 are', async () => {
  const came = (...values: (boolean | number | string | undefined)[]) => until('a state', () => values.shift(), 1_000);
  assert.equal(await came(undefined, false, true), true);
  assert.equal(await came(false, 0), 0);
  assert.equal(await came(undefined, ''), '');
});

test('what does not come is named, and what a probe throws is passed on', async () => {
  await assert.rejects(
    until('rain', () => false, 30),
    /not within 30 ms: rain/,
  );
  const broken = () => {
    throw new Error('no probe');
  };
  await assert.rejects(until('rain', broken, 30), /no probe/);
});

test("the time is the clock's: looks that take long or hang count in full", async () => {
  const slowly = () => new Promise<false>((resolve) => setTimeout(() => resolve(false), 150));
  const startedMs = performance.now();
  await assert.rejects(until('rain', slowly, 300), /not within 300 ms: rain/);
  await assert.rejects(
    until('rain', () => new Promise<false>(() => undefined), 100),
    /not within 100 ms: rain/,
  );
  assert.ok(performance.now() - startedMs < 2_000);
});
