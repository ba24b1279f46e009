import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OwnTime } from './own-time.js';

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('waiting counts', async () => {
  const time = new OwnTime();
  await wait(200);
  // Timers may be a little early, and ticks late.
  assert.ok(time.stop() >= 20);
});

test('time in which the process cannot run counts for a tick or two', async () => {
  const time = new OwnTime();
  const untilMs = performance.now() + 500;
  while (performance.now() < untilMs);
  assert.ok(time.ms <= 20);
  await wait(0);
  assert.ok(time.stop() <= 100);
});
