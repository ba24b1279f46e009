import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Commands,
  type Events,
  noPushes,
  pushQueue,
  RETRY_ALARM,
  type State,
  WAITING_MAX,
} from '../../../actors/push/push.js';
import { given } from '../../kit/actors/given.js';

const nowMs = 1_767_225_600_000;
const push = (notificationId: string, kind = 'mention') => ({ account: '7', notificationId, kind, atMs: nowMs });
const queue = () => given<State, Commands, Events>(pushQueue, noPushes());

test('a push waits until an attempt settles it, and a repeat is not queued again', () => {
  const before = queue().when('enqueue', push('1')).when('enqueue', push('2'));
  assert.deepEqual([...before.state.waiting.keys()], ['1', '2']);
  assert.equal(before.when('enqueue', push('1')).events.length, 2);
  const after = before.when('report', { seq: 2, settled: ['1'] });
  assert.deepEqual([...after.state.waiting.keys()], ['2']);
  assert.equal(after.state.pausedUntilMs, 0);
});

test('an attempt is recorded once, also when its effect is repeated', () => {
  const once = queue()
    .when('enqueue', push('1'))
    .when('enqueue', push('2'))
    .when('report', { seq: 2, settled: ['1'] });
  const again = once.when('report', { seq: 2, settled: ['1', '2'], pauseMs: 1 });
  assert.equal(again.events.length, once.events.length);
  assert.deepEqual([...again.state.waiting.keys()], ['2']);
});

test('failures in a row are counted until an attempt succeeds', () => {
  const failed = queue().when('enqueue', push('1')).when('report', { seq: 1, settled: [], pauseMs: 30_000 });
  assert.deepEqual([failed.state.failures, failed.state.pausedUntilMs], [1, nowMs + 30_000]);
  const twice = failed.when('report', { seq: 3, settled: [], pauseMs: 60_000 });
  assert.equal(twice.state.failures, 2);
  assert.equal(twice.when('report', { seq: 4, settled: ['1'] }).state.failures, 0);
});

test('only the alarm of the present pause resumes, and not before its time', () => {
  const paused = queue().when('enqueue', push('1')).when('report', { seq: 1, settled: [], pauseMs: 30_000 });
  const ring = (atMs: number, at: number, what = RETRY_ALARM) => paused.when('alarm', { what, atMs }, { nowMs: at });
  const endMs = nowMs + 30_000;
  const events = paused.events.length;
  assert.equal(ring(endMs - 1, endMs).events.length, events, 'of an earlier pause');
  assert.equal(ring(endMs, endMs, 'journal').events.length, events, 'of another subject');
  assert.equal(ring(endMs, endMs - 1).lastProblem?.problem, 'unavailable');
  const resumed = ring(endMs, endMs);
  assert.deepEqual([resumed.events.at(-1)?.type, resumed.state.pausedUntilMs], ['resumed', 0]);
  const settled = paused.when('report', { seq: 9, settled: ['1'], pauseMs: 5 });
  assert.equal(
    settled.when('alarm', { what: RETRY_ALARM, atMs: nowMs + 5 }, { nowMs: endMs }).events.at(-1)?.type,
    'reported',
  );
});

test('the oldest push is dropped when too many wait', () => {
  let full = queue();
  for (let index = 0; index < WAITING_MAX; index++) full = full.when('enqueue', push(`${index}`));
  const over = full.when('enqueue', push('one more'));
  const last = over.events.at(-1) as { readonly droppedId?: string };
  assert.equal(last.droppedId, '0');
  assert.deepEqual(
    [over.state.waiting.size, over.state.waiting.has('0'), over.state.waiting.has('one more')],
    [WAITING_MAX, false, true],
  );
});
