import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProcessClock } from '../../../../actors/runtime/placement/process-clock.js';

function machine() {
  const state = { wall: 1_000_000, monotonic: 50 };
  const clock = new ProcessClock({
    wallMs: () => state.wall,
    monotonicMs: () => state.monotonic,
    after: () => ({ cancel: () => undefined }),
  });
  const pass = (ms: number) => {
    state.wall += ms;
    state.monotonic += ms;
  };
  return { state, clock, pass };
}

test('the process clock follows the wall clock, also when it steps ahead', () => {
  const { state, clock, pass } = machine();
  assert.equal(clock.nowMs(), 1_000_000);
  pass(1_500);
  assert.equal(clock.nowMs(), 1_001_500);
  state.wall += 3_600_000;
  assert.equal(clock.nowMs(), 4_601_500);
  assert.equal(clock.wallMs(), 4_601_500);
});

test('the process clock never goes back: it runs at half speed until the wall clock has caught up', () => {
  const { state, clock, pass } = machine();
  const before = clock.nowMs();
  state.wall -= 10_000;
  assert.equal(clock.nowMs(), before);
  assert.equal(clock.wallMs(), before - 10_000, 'the machine’s own clock can still be read');
  for (let ms = 0; ms < 10_000; ms += 10) {
    pass(10);
    clock.nowMs();
  }
  assert.equal(clock.nowMs(), before + 5_000);
  pass(10_000);
  assert.equal(clock.nowMs(), before + 10_000);
  pass(1_000);
  assert.equal(clock.nowMs(), before + 11_000, 'the wall clock leads again');
});
