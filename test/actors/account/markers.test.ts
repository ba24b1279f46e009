import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newcomer, startMs } from './newcomer.js';

const to = (lastReadId: string, timeline = 'notifications') => ({ markers: [{ timeline, lastReadId }] });

test('a marker changes with its own version, and an unchanged one is not recorded', () => {
  const alice = newcomer().when('setMarkers', to('5')).when('setMarkers', to('5')).when('setMarkers', to('9'));
  assert.equal(alice.events.length, 2);
  const marker = { type: 'markerSet', timeline: 'notifications', lastReadId: '9', version: 2, updatedAtMs: startMs };
  assert.deepEqual(alice.events.at(-1), marker);
  assert.equal(alice.when('setMarkers', to('5', 'home')).state.markers.get('home')?.version, 1);
});

test('an unknown timeline or an invalid id is refused', () => {
  assert.equal(newcomer().when('setMarkers', to('5', 'public')).lastProblem?.problem, 'invalid');
  assert.equal(newcomer().when('setMarkers', to('x')).lastProblem?.problem, 'invalid');
  assert.deepEqual(newcomer().when('setMarkers', to('x')).events, []);
});
