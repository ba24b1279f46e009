import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENDED_SUGGESTIONS_MAX } from '../../../actors/account/suggestions.js';
import { newcomer, other, self, startMs } from './newcomer.js';

const ended = (alice: ReturnType<typeof newcomer>, targets: readonly string[] = [other]) =>
  (alice.when('endedSuggestions', { targets }).reply as unknown as { ends: { target: string; atMs: number }[] }).ends;
const once = [{ target: other, atMs: startMs }];

test('a dismissal, a follow, a mute and a block end a suggestion', () => {
  assert.deepEqual(ended(newcomer()), []);
  assert.deepEqual(ended(newcomer().when('dismissSuggestion', { target: other })), once);
  const followed = { target: other, targetLocked: false };
  assert.deepEqual(ended(newcomer().when('follow', followed)), once);
  assert.deepEqual(ended(newcomer().when('mute', { target: other, notifications: true, durationMs: 0 })), once);
  assert.deepEqual(ended(newcomer().when('block', { target: other })), once);
  assert.deepEqual(ended(newcomer().when('block', { target: other }), [self]), []);
});

test('a block ends the suggestion on the other side, too; a mute or unblock does not', () => {
  assert.deepEqual(ended(newcomer().when('receiveBlock', { from: other, on: true })), once);
  assert.deepEqual(ended(newcomer().when('receiveBlock', { from: other, on: false })), []);
});

test('the oldest ended suggestion is dropped when there are too many', () => {
  const full = newcomer(({ endedSuggestions }) => {
    for (let n = 0; n < ENDED_SUGGESTIONS_MAX; n++) endedSuggestions.set(`${n}`, n);
  }).when('dismissSuggestion', { target: other });
  assert.equal(full.state.endedSuggestions.size, ENDED_SUGGESTIONS_MAX);
  assert.deepEqual(
    ended(full, ['0', '1', other]).map(({ target }) => target),
    ['1', other],
  );
});
