import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PINS_MAX } from '../../../actors/account/pin.js';
import { newcomer } from './newcomer.js';

const pinned = (count: number) =>
  newcomer(({ pins }) => pins.push(...Array.from({ length: count }, (_, n) => `${n + 1}`)));

test('a status is pinned once and unpinned once', () => {
  const alice = newcomer().when('pin', { statusId: '7' }).when('pin', { statusId: '7' });
  assert.deepEqual([alice.events.length, alice.state.pins], [1, ['7']]);
  const none = alice.when('unpin', { statusId: '7' }).when('unpin', { statusId: '7' });
  assert.deepEqual([none.events.length, none.state.pins], [2, []]);
});

test('the number of pins is bounded, and a deleted status frees one', () => {
  const full = pinned(PINS_MAX).when('pin', { statusId: '7' });
  assert.deepEqual([full.lastProblem?.problem, full.events], ['invalid', []]);
  full.state.statuses = 1;
  const after = full.when('countStatus', { id: '2', delta: -1, atMs: 1, tags: [] }).when('pin', { statusId: '7' });
  assert.deepEqual(after.state.pins, ['1', '3', '4', '5', '7']);
});
