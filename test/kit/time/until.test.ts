import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './until.js';

test('undefined and false keep the wait going; an empty text and 0 end it', async () => {
  const came = (...values: (boolean | number | string | undefined)[]) => until('a state', () => values.shift(), 1_000);
  assert.equal(await came(undefined, false, true), true);
  assert.equal(await came(false, 0), 0);
  assert.equal(await came(undefined, ''), '');
});

test('the error after the timeout names the state, and an error of the probe is passed on', async () => {
  await assert.rejects(
    until('rain', () => false, 30),
    /not within 30 ms: rain/,
  );
  const broken = () => {
    throw new Error('no probe');
  };
  await assert.rejects(until('rain', broken, 30), /no probe/);
});

test('the timeout follows the clock: probes that are slow or hang count in full', async () => {
  const slowly = () => new Promise<false>((resolve) => setTimeout(() => resolve(false), 150));
  const startedMs = performance.now();
  await assert.rejects(until('rain', slowly, 300), /not within 300 ms: rain/);
  await assert.rejects(
    until('rain', () => new Promise<false>(() => undefined), 100),
    /not within 100 ms: rain/,
  );
  assert.ok(performance.now() - startedMs < 2_000);
});
