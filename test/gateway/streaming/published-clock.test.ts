import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idMs, makeId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { Position, sinceOf } from '../../../gateway/streaming/position.js';
import { PublishedClock } from '../../../gateway/streaming/published-clock.js';

const T0 = 1_767_225_600_000;

/** A clock of ids that is ahead of steady time by `aheadMs`. */
class IdClock {
  steadyMs = 0;
  aheadMs = 0;
  nowMs = () => T0 + this.steadyMs + this.aheadMs;
  monotonicMs = () => this.steadyMs;
}

function floorOf(position: Buffer): number {
  const since = sinceOf(position.toString());
  assert.ok(since !== undefined && !isProblem(since));
  return idMs(since.floor);
}

test('everything is published up to the time that the clock of ids showed half a minute ago, to a second', () => {
  const clock = new IdClock();
  const published = new PublishedClock(clock);
  assert.equal(published.publishedMs(), 0, 'unknown at first');
  for (; clock.steadyMs < 29_900; clock.steadyMs += 100) assert.equal(published.publishedMs(), 0);
  for (; clock.steadyMs < 60_000; clock.steadyMs += 100) {
    const behindMs = clock.nowMs() - published.publishedMs();
    assert.ok(published.publishedMs() === 0 || (behindMs >= 30_000 && behindMs <= 31_000), `${behindMs} ms`);
  }
  assert.ok(published.publishedMs() > 0);
});

test('while there are always events that wait, it follows the oldest of them', () => {
  const clock = new IdClock();
  const published = new PublishedClock(clock);
  published.received();
  for (; clock.steadyMs < 90_000; clock.steadyMs += 2_000) {
    published.received();
    published.passedOn();
  }
  const behindMs = clock.nowMs() - published.publishedMs();
  assert.ok(behindMs >= 30_000 && behindMs <= 36_000, `${behindMs} ms`);
});

test('the floor of a position does not follow a jump of the clock of ids before ids of then have been sent', () => {
  const clock = new IdClock();
  const published = new PublishedClock(clock);
  const position = new Position({ floor: makeId(T0, 0, 0), sent: [] }, published);
  const after = () => floorOf(position.after(makeId(clock.nowMs(), 0, 0)));
  for (; clock.steadyMs < 60_000; clock.steadyMs += 500) after();
  const [jumpAtMs, beforeMs] = [clock.steadyMs, clock.nowMs()];
  clock.aheadMs = 300_000;
  for (; clock.steadyMs < jumpAtMs + 30_000; clock.steadyMs += 500)
    assert.ok(after() <= beforeMs, 'another node may still mint and publish such ids');
  clock.steadyMs += 15_000;
  assert.ok(after() > beforeMs + 200_000, 'follows half a minute later');
});
