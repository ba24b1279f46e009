import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  PERSONAL_NOTE_CHARS_MAX,
  PERSONAL_NOTES_CHARS_MAX,
  PERSONAL_NOTES_MAX,
} from '../../../actors/account/personal-notes.js';
import { newcomer, other, self } from './newcomer.js';

const note = (comment: string) => ({ target: other, comment });

test('a note is stored once, shown in the relation, and deleted when it is emptied', () => {
  const alice = newcomer().when('writeNote', note(' met in Rome ')).when('writeNote', note('met in Rome'));
  assert.deepEqual([alice.events.length, alice.state.notes.get(other)], [1, 'met in Rome']);
  const { relations } = alice.when('relations', { targets: [other] }).reply as unknown as {
    relations: { note: string }[];
  };
  assert.equal(relations[0]?.note, 'met in Rome');
  const gone = alice.when('writeNote', note(''));
  assert.deepEqual([gone.events.length, gone.state.notes.size], [2, 0]);
});

test('a note about oneself, a too long note and too many notes are refused', () => {
  assert.equal(newcomer().when('writeNote', { target: self, comment: 'I' }).lastProblem?.problem, 'forbidden');
  const long = newcomer().when('writeNote', note('x'.repeat(PERSONAL_NOTE_CHARS_MAX + 1)));
  assert.deepEqual([long.lastProblem?.problem, long.events], ['invalid', []]);
  const many = newcomer(({ notes }) => {
    for (let n = 0; n < PERSONAL_NOTES_MAX; n++) notes.set(`${n}`, 'x');
  });
  assert.equal(many.when('writeNote', note('x')).lastProblem?.problem, 'limit_reached');
  const much = newcomer(({ notes }) => void notes.set('1', 'x'.repeat(PERSONAL_NOTES_CHARS_MAX)));
  assert.equal(much.when('writeNote', note('x')).lastProblem?.problem, 'limit_reached');
  assert.equal(much.when('writeNote', { target: '1', comment: 'shorter' }).lastProblem, undefined);
});
