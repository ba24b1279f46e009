import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DISPLAY_NAME_CHARS_MAX,
  FIELD_CHARS_MAX,
  FIELDS_MAX,
  NOTE_CHARS_MAX,
} from '../../../actors/account/profile.js';
import { newcomer } from './newcomer.js';

const none = { fields: [], setFields: false };

test('what is given changes, the rest stays, and the same again records nothing', () => {
  const alice = newcomer().when('updateProfile', { ...none, displayName: ' Alice ', locked: true });
  const again = alice.when('updateProfile', { ...none, displayName: 'Alice' });
  assert.equal(again.events.length, 1);
  assert.deepEqual([again.state.profile.displayName, again.state.profile.locked], ['Alice', true]);
});

test('what is too long or not in a list is refused', () => {
  const field = { name: 'n', value: 'v' };
  const tooMuch = [
    { displayName: 'a'.repeat(DISPLAY_NAME_CHARS_MAX + 1) },
    { note: 'a'.repeat(NOTE_CHARS_MAX + 1) },
    { setFields: true, fields: Array.from({ length: FIELDS_MAX + 1 }, () => field) },
    { setFields: true, fields: [{ ...field, value: 'v'.repeat(FIELD_CHARS_MAX + 1) }] },
    { privacy: 'secret' },
    { language: 'not a language' },
  ];
  for (const part of tooMuch) {
    const refused = newcomer().when('updateProfile', { ...none, ...part });
    assert.equal(refused.lastProblem?.problem, 'invalid');
    assert.deepEqual(refused.events, []);
  }
});

test('what is as long as may be is taken', () => {
  const part = { displayName: 'é'.repeat(DISPLAY_NAME_CHARS_MAX), note: 'a'.repeat(NOTE_CHARS_MAX) };
  assert.equal(newcomer().when('updateProfile', { ...none, ...part }).lastProblem, undefined);
});
