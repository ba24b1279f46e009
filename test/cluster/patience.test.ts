import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unavailable } from '../../actors/domain/problem.js';
import { OneRead } from '../../cluster/patience.js';
import { VirtualClock } from '../kit/time/virtual-clock.js';

const PATIENCE_MS = 1_500;
/** Longer than the timeout. */
const READ_MS = 4_000;

test('a store that answers after the timeout gets one read at a time, and its late answer is used', async () => {
  const clock = new VirtualClock();
  let [begun, underWay, most] = [0, 0, 0];
  const reading = new OneRead(clock, 'reading', async () => {
    const number = ++begun;
    most = Math.max(most, ++underWay);
    await new Promise<void>((resolve) => void clock.after(READ_MS, resolve));
    underWay -= 1;
    return number;
  });
  const outcomes: unknown[] = [];
  for (let asked = 0; asked < 3; asked++) {
    void reading.ask(PATIENCE_MS).then(
      (found) => outcomes.push(found),
      (error) => outcomes.push(error instanceof Unavailable),
    );
    await clock.advance(PATIENCE_MS);
  }
  assert.deepEqual(outcomes, [true, true, { value: 1, asOfMs: 0 }]);
  assert.deepEqual([begun, most], [1, 1]);
});

test('a failed read is started again, and each answer states its time', async () => {
  const clock = new VirtualClock();
  let fails = true;
  const reading = new OneRead(clock, 'reading', async () => {
    if (fails) throw new Unavailable('no answer');
    return 'found';
  });
  await assert.rejects(reading.ask(PATIENCE_MS), Unavailable);
  fails = false;
  await clock.advance(10);
  assert.deepEqual(await reading.ask(PATIENCE_MS), { value: 'found', asOfMs: 10 });
});

test('a read that never ends is abandoned after half a minute', async () => {
  const clock = new VirtualClock();
  let begun = 0;
  const reading = new OneRead(clock, 'reading', () =>
    ++begun === 1 ? new Promise<number>(() => undefined) : Promise.resolve(begun),
  );
  const given = assert.rejects(reading.ask(PATIENCE_MS), Unavailable);
  await clock.advance(30_001);
  await given;
  assert.deepEqual(await reading.ask(PATIENCE_MS), { value: 2, asOfMs: 30_001 });
});

test('a fresh read begins after the call, once for all callers', async () => {
  const clock = new VirtualClock();
  let begun = 0;
  const reading = new OneRead(clock, 'reading', async () => {
    const number = ++begun;
    await new Promise<void>((resolve) => void clock.after(READ_MS, resolve));
    if (number === 1) throw new Unavailable('no answer');
    return number;
  });
  const stale = assert.rejects(reading.ask(READ_MS + 1), Unavailable);
  const fresh = [reading.askAfresh(READ_MS + 1), reading.askAfresh(READ_MS + 1)];
  await clock.advance(READ_MS * 2);
  await stale;
  for (const { value } of await Promise.all(fresh)) assert.equal(value, 2);
  assert.equal(begun, 2);
});
