import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Commands, EMOJI_NAMES_MAX, type Events, emoji, type State } from '../../../actors/instance/emoji.js';
import { LazyMap } from '../../../actors/runtime/state/lazy-collections.js';
import { given } from '../../kit/actors/given.js';

const world = (): State => ({
  entries: new LazyMap([
    ['announcements', new LazyMap([['5', { collection: 'announcements', id: '5', key: '', atMs: 0, updatedAtMs: 0 }]])],
  ]),
  emoji: new LazyMap(),
});
const put = (name: string, delta = 1, announcement = '5') => ({ announcement, name, delta });

test('reactions are counted up and down, never below zero', () => {
  const counted = given<State, Commands, Events>(emoji, world())
    .when('countEmoji', put('👍'))
    .when('countEmoji', put('👍'));
  assert.equal(counted.state.emoji.get('5')?.get('👍'), 2);
  const less = counted.when('countEmoji', put('👍', -1)).when('countEmoji', put('👍', -1));
  assert.equal(less.state.emoji.get('5')?.has('👍'), false);
  assert.equal(less.when('countEmoji', put('👍', -1)).events.length, 4);
});

test('a deleted announcement counts no reactions, and the number of names is bounded', () => {
  assert.deepEqual(given<State, Commands, Events>(emoji, world()).when('countEmoji', put('👍', 1, '6')).events, []);
  const full = world();
  full.emoji.set('5', new LazyMap(Array.from({ length: EMOJI_NAMES_MAX }, (_, index) => [`${index}`, 1])));
  assert.deepEqual(given<State, Commands, Events>(emoji, full).when('countEmoji', put('👍')).events, []);
  assert.equal(given<State, Commands, Events>(emoji, full).when('countEmoji', put('3')).events.length, 1);
});
