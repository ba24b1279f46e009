import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../actors/domain/ids.js';
import { Publications } from '../../../actors/timelines/publications.js';

const T0 = 1_767_225_600_000;
const CLOCKS_APART_MS = 5_000;
const at = (ms: number) => makeId(T0 + ms, 7, 0);

test('a node knows which of the statuses since its start were published', () => {
  const published = new Publications({ nowMs: () => T0 });
  published.add(at(-10), {});
  published.add(at(6_000), {});
  assert.deepEqual(
    [-10, -20, CLOCKS_APART_MS - 1].map(at).map((id) => published.has(id)),
    [true, undefined, undefined],
  );
  assert.deepEqual(
    [6_000, CLOCKS_APART_MS, 7_000].map(at).map((id) => published.has(id)),
    [true, false, false],
  );
});

test('after a gap a node does not know about earlier statuses that it did not receive', () => {
  const clock = { ms: T0, nowMs: () => clock.ms };
  const published = new Publications(clock);
  published.add(at(6_000), {});
  clock.ms += 10_000;
  published.missed();
  assert.deepEqual(
    [6_000, 7_000, 16_000].map(at).map((id) => published.has(id)),
    [true, undefined, false],
  );
});

test('after a gap a node does not know about statuses of a node whose ids are ahead of its own', () => {
  const published = new Publications({ nowMs: () => T0 });
  published.add(at(47_000), {});
  published.missed();
  assert.deepEqual(
    [47_000, 48_000, 52_000].map(at).map((id) => published.has(id)),
    [true, undefined, false],
  );
});

test('a node remembers at least 16,384 statuses, and does not know about those that it forgot', () => {
  const published = new Publications({ nowMs: () => T0 });
  for (let ms = 10_000; ms < 60_000; ms++) published.add(at(ms), {});
  assert.equal(published.has(at(60_000)), false);
  assert.deepEqual(
    [60_000 - 16_384, 59_999].map(at).map((id) => published.has(id)),
    [true, true],
  );
  assert.deepEqual(
    [9_000, 10_000].map(at).map((id) => published.has(id)),
    [undefined, undefined],
  );
});

test('a node knows which statuses were published late: by their messages, or since it receives a repeat only', () => {
  const published = new Publications({ nowMs: () => T0 });
  published.add(at(6_000), {});
  published.add(at(6_000), { mayRepeat: true });
  published.add(at(4_000), { mayRepeat: true });
  assert.deepEqual(
    [6_000, 4_000].map((ms) => published.isLate(at(ms))),
    [false, false],
  );
  published.add(at(7_000), { late: true });
  published.add(at(8_000), { mayRepeat: true });
  assert.deepEqual(
    [7_000, 8_000].map((ms) => published.isLate(at(ms))),
    [true, true],
  );
  assert.deepEqual(published.lateSince(T0), [at(8_000)], 'without those that have rows');
  assert.deepEqual(published.lateSince(T0 + 1), []);
});

test('a node knows which statuses it had received at an earlier time', () => {
  const published = new Publications({ nowMs: () => T0 });
  published.add(at(6_000), {});
  const { received } = published;
  published.add(at(7_000), {});
  published.add(at(6_000), { mayRepeat: true });
  const known = (ms: number) => [published.has(at(ms), received), published.has(at(ms))];
  assert.deepEqual([6_000, 7_000, 8_000, 0].map(known), [
    [true, true],
    [false, true],
    [false, false],
    [undefined, undefined],
  ]);
  for (let ms = 10_000; ms < 30_000; ms++) published.add(at(ms), {});
  published.add(at(6_000), { mayRepeat: true });
  assert.deepEqual(known(6_000), [true, true]);
});

/** A node that remembers, at T0 + 60 s by its clock. */
function remembering() {
  const clock = { ms: T0, nowMs: () => clock.ms };
  const published = new Publications(clock);
  const receiveAt = (ms: number) => {
    clock.ms = T0 + ms;
    published.add(at(ms), {});
  };
  const isPassed = (ms: number) => {
    clock.ms = T0 + 60_000;
    return published.isPassed(at(ms));
  };
  return { published, receiveAt, isPassed };
}

test('floors of streams may have passed a status that is 15 s old, or that the node may have forgotten', () => {
  const { published, isPassed } = remembering();
  assert.deepEqual([45_000, 45_001, 59_000].map(isPassed), [true, false, false]);
  published.missed();
  assert.equal(isPassed(59_000), true);
});

test('floors may have passed a status when 120 were received in twice the time since it was posted', () => {
  const { receiveAt, isPassed } = remembering();
  for (let n = 0; n < 200; n++) receiveAt(10_000 + n);
  for (let n = 0; n < 119; n++) receiveAt(54_000 + n);
  assert.equal(isPassed(57_000), false);
  receiveAt(55_000);
  assert.deepEqual([57_000, 57_001].map(isPassed), [true, false]);
});

test('a late status above all floors is not one that positions name', () => {
  const published = new Publications({ nowMs: () => T0 });
  published.add(at(7_000), { late: true, aboveFloors: true });
  assert.deepEqual([published.has(at(7_000)), published.isLate(at(7_000))], [true, false]);
});
