import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../actors/domain/ids.js';
import { Publications } from '../../../actors/timelines/publications.js';

const T0 = 1_767_225_600_000;
const UNKNOWN_MS = 10_000;
const at = (ms: number) => makeId(T0 + ms, 7, 0);

/** A node at its start, T0 by its clock of ids, with the time that passes for it. */
function starting() {
  const clock = { ms: 0, aheadMs: 0, nowMs: () => T0 + clock.ms + clock.aheadMs, monotonicMs: () => clock.ms };
  const published = new Publications(clock);
  return { clock, published, has: (ms: number) => published.has(at(ms)) };
}

/** The same node 10 s after its start, when its clock of ids is at T0. */
function started() {
  const node = starting();
  node.clock.ms = UNKNOWN_MS;
  node.clock.aheadMs = -UNKNOWN_MS;
  assert.equal(node.has(0), false, 'it remembers');
  return node;
}

test('a node does not know in its first ten seconds what was published, but for what it received', () => {
  const { clock, published, has } = starting();
  published.add(at(10), {});
  clock.ms = UNKNOWN_MS - 1;
  assert.deepEqual([10, 11, 3_600_000].map(has), [true, undefined, undefined]);
});

test('a node knows which of the statuses since ten seconds after its start were published', () => {
  const { clock, published, has } = starting();
  published.add(at(10), {});
  clock.ms = UNKNOWN_MS;
  published.add(at(10_100), {});
  assert.deepEqual([10, 20, 9_999].map(has), [true, undefined, undefined]);
  assert.deepEqual([10_000, 10_100, 10_200].map(has), [false, true, false]);
});

test('a node that receives nothing but pulses remembers from ten seconds after its start on', () => {
  const { clock, published, has } = starting();
  clock.ms = UNKNOWN_MS + 500;
  published.reached(T0 + UNKNOWN_MS + 400);
  clock.ms += 60_000;
  assert.deepEqual([10_499, 10_500].map(has), [undefined, false]);
});

test('after a gap a node does not know for ten seconds about any status that it did not receive', () => {
  const { clock, published, has } = started();
  published.add(at(6_000), {});
  published.missed();
  clock.ms += UNKNOWN_MS - 1;
  assert.deepEqual([6_000, 5_000, 100_000].map(has), [true, undefined, undefined]);
  clock.ms += 1;
  assert.deepEqual([6_000, 9_999, 10_000].map(has), [true, undefined, false]);
});

test('after a gap a node does not know about statuses of nodes whose ids are half a minute ahead of its own', () => {
  // A takeover raised the floor of their ids. The row that has it is not read while the store is unreachable.
  for (const tell of ['post', 'pulse']) {
    const { clock, published, has } = started();
    published.missed();
    published.add(at(31_000), {});
    assert.equal(has(33_000), undefined);
    if (tell === 'post') published.add(at(36_000), {});
    else published.reached(T0 + 36_000);
    clock.ms += UNKNOWN_MS;
    assert.deepEqual([31_000, 33_000, 35_999, 36_001].map(has), [true, undefined, undefined, false], tell);
  }
});

test('each gap begins the time anew', () => {
  const { clock, published, has } = started();
  published.missed();
  clock.ms += 9_000;
  published.missed();
  clock.ms += 9_000;
  assert.equal(has(100_000), undefined);
  clock.ms += 1_000;
  assert.equal(has(100_000), false);
});

test('a node remembers at least 16,384 statuses, and does not know about those that it forgot', () => {
  const { published, has } = started();
  for (let ms = 10_000; ms < 60_000; ms++) published.add(at(ms), {});
  assert.equal(has(60_000), false);
  assert.deepEqual([60_000 - 16_384, 59_999].map(has), [true, true]);
  assert.deepEqual([9_000, 10_000].map(has), [undefined, undefined]);
});

test('a node knows which statuses were published late: by their messages, or since it receives a repeat only', () => {
  const { published } = started();
  published.add(at(6_000), {});
  published.add(at(6_000), { mayRepeat: true });
  published.add(at(-4_000), { mayRepeat: true });
  assert.deepEqual(
    [6_000, -4_000].map((ms) => published.isLate(at(ms))),
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
  const { published } = started();
  published.add(at(6_000), {});
  const { received } = published;
  published.add(at(7_000), {});
  published.add(at(6_000), { mayRepeat: true });
  const known = (ms: number) => [published.has(at(ms), received), published.has(at(ms))];
  assert.deepEqual([6_000, 7_000, 8_000, -1].map(known), [
    [true, true],
    [false, true],
    [false, false],
    [undefined, undefined],
  ]);
  for (let ms = 10_000; ms < 30_000; ms++) published.add(at(ms), {});
  published.add(at(6_000), { mayRepeat: true });
  assert.deepEqual(known(6_000), [true, true]);
});

/** A node that remembers, and receives statuses when they are posted. Questions are asked at T0 + 60 s. */
function remembering() {
  const { clock, published } = started();
  const turnTo = (ms: number) => {
    clock.ms = UNKNOWN_MS + ms;
  };
  const receiveAt = (ms: number) => {
    turnTo(ms);
    published.add(at(ms), {});
  };
  const isPassed = (ms: number) => {
    turnTo(60_000);
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
  const { published } = started();
  published.add(at(7_000), { late: true, aboveFloors: true });
  assert.deepEqual([published.has(at(7_000)), published.isLate(at(7_000))], [true, false]);
});
