import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  afterAnswer,
  afterFailure,
  afterRequestedPause,
  type Breaker,
  closedBreaker,
  isGone,
} from '../../../actors/remote-host/breaker.js';

const START_MS = 1_700_000_000_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const failed = (before: Breaker, nowMs: number, askedMs?: number, fraction = 0) =>
  afterFailure(before, { nowMs, askedMs, fraction });

/** Returns a breaker that three failures at START_MS have opened. */
const opened = () => [0, 1, 2].reduce((before, at) => failed(before, START_MS + at), closedBreaker);

test('three failures within a minute open the breaker for a minute at least', () => {
  const two = failed(failed(closedBreaker, START_MS), START_MS + 1);
  assert.deepEqual([two.openings, two.pausedUntilMs], [0, 0]);
  const three = failed(two, START_MS + 59_999);
  assert.deepEqual([three.openings, three.pausedUntilMs], [1, START_MS + 59_999 + MINUTE_MS]);
  const longest = failed(two, START_MS + 2, undefined, 1);
  assert.equal(longest.pausedUntilMs, START_MS + 2 + 1.5 * MINUTE_MS);
});

test('three failures in more than a minute do not open the breaker', () => {
  const two = failed(failed(closedBreaker, START_MS), START_MS + 1);
  assert.equal(failed(two, START_MS + MINUTE_MS).openings, 0);
});

test('an answer between failures keeps the breaker closed', () => {
  const two = failed(failed(closedBreaker, START_MS), START_MS + 1);
  assert.equal(failed(afterAnswer(two, START_MS + 2), START_MS + 3).openings, 0);
});

test('each failed probe doubles the pause, up to six hours', () => {
  let breaker = opened();
  const pauses: number[] = [];
  for (let count = 0; count < 12; count++) {
    const nowMs = breaker.pausedUntilMs;
    breaker = failed(breaker, nowMs, undefined, 1);
    pauses.push((breaker.pausedUntilMs - nowMs) / MINUTE_MS);
  }
  assert.deepEqual(pauses, [2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360, 360]);
});

test('a request that was under way when the breaker opened is no probe', () => {
  const breaker = opened();
  const after = failed(breaker, START_MS + 10);
  assert.deepEqual([after.openings, after.pausedUntilMs], [breaker.openings, breaker.pausedUntilMs]);
});

test('an answer closes an open breaker, and notes when', () => {
  const atMs = START_MS + HOUR_MS;
  assert.deepEqual(afterAnswer(opened(), atMs), { ...closedBreaker, recoveredAtMs: atMs });
  assert.equal(afterAnswer(closedBreaker, atMs), closedBreaker);
});

test('a host gets the pause that it asks for, a day at most, and one request then', () => {
  const asked = failed(closedBreaker, START_MS, 2 * HOUR_MS);
  assert.deepEqual([asked.openings, asked.pausedUntilMs], [1, START_MS + 2 * HOUR_MS]);
  assert.equal(failed(closedBreaker, START_MS, 90 * DAY_MS).pausedUntilMs, START_MS + DAY_MS);
});

test('a host is gone after seven days without an answer', () => {
  const breaker = opened();
  assert.equal(isGone(breaker, START_MS + 7 * DAY_MS), false);
  assert.equal(isGone(breaker, START_MS + 7 * DAY_MS + 1), true);
  assert.equal(isGone(afterAnswer(breaker, START_MS + 1), START_MS + 30 * DAY_MS), false);
});

test('a host that asks for pauses by 429 gets these, and one request after each', () => {
  let breaker = closedBreaker;
  for (let count = 0; count < 12; count++) {
    const nowMs = START_MS + count * 2 * MINUTE_MS;
    breaker = afterRequestedPause(breaker, nowMs, MINUTE_MS);
    assert.deepEqual([breaker.openings, breaker.pausedUntilMs], [1, nowMs + MINUTE_MS]);
  }
  assert.equal(afterAnswer(breaker, breaker.pausedUntilMs).openings, 0);
  assert.equal(afterRequestedPause(closedBreaker, START_MS, 1_000 * DAY_MS).pausedUntilMs, START_MS + DAY_MS);
  assert.equal(isGone(breaker, START_MS + 8 * DAY_MS), true, 'a host that takes nothing for a week is gone');
});

test('a host that asks for short pauses again and again gets longer ones, up to a minute', () => {
  let breaker = closedBreaker;
  let nowMs = START_MS;
  const pauses: number[] = [];
  for (let count = 0; count < 9; count++) {
    breaker = afterRequestedPause(breaker, nowMs, 1_000);
    pauses.push((breaker.pausedUntilMs - nowMs) / 1_000);
    nowMs = breaker.pausedUntilMs;
  }
  assert.deepEqual(pauses, [1, 1, 2, 4, 8, 16, 32, 60, 60]);
  const recovered = afterAnswer(breaker, nowMs);
  assert.equal(afterRequestedPause(recovered, nowMs, 1_000).pausedUntilMs, nowMs + 1_000);
});

test('an answer to a request that was under way does not end a pause', () => {
  const paused = afterRequestedPause(closedBreaker, START_MS, 5_000);
  const after = afterAnswer(paused, START_MS + 10);
  assert.deepEqual([after.openings, after.pausedUntilMs], [1, START_MS + 5_000]);
  assert.equal(isGone(after, START_MS + 8 * DAY_MS), false);
});
