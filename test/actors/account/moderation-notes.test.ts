import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MODERATION_NOTE_CHARS_MAX, MODERATION_NOTES_MAX } from '../../../actors/account/moderation-notes.js';
import { newcomer, other, startMs } from './newcomer.js';

const note = (text: string) => ({ by: other, text });

test('notes of moderators are listed in their order until they are removed', () => {
  const alice = newcomer().when('addModerationNote', note(' wrote spam ')).when('addModerationNote', note('again'));
  const [first, second] = alice.state.moderationNotes ?? [];
  assert.deepEqual(first, { id: first?.id, by: other, text: 'wrote spam', atMs: startMs });
  assert.deepEqual(alice.reply, second);
  assert.ok((first?.id ?? '') < (second?.id ?? ''));
  const removal = { id: first?.id ?? '', by: other };
  const removed = alice.when('removeModerationNote', removal).when('removeModerationNote', removal);
  assert.deepEqual(removed.state.moderationNotes, [second]);
  assert.equal(removed.events.length, 3, 'the second removal records nothing');
});

test('an empty note, a too long one, and too many are refused', () => {
  for (const text of ['', ' \n', 'x'.repeat(MODERATION_NOTE_CHARS_MAX + 1)]) {
    const refused = newcomer().when('addModerationNote', note(text));
    assert.deepEqual([refused.lastProblem?.problem, refused.events], ['invalid', []]);
  }
  const longest = newcomer().when('addModerationNote', note('x'.repeat(MODERATION_NOTE_CHARS_MAX)));
  assert.equal(longest.lastProblem, undefined);
  const some = Array.from({ length: MODERATION_NOTES_MAX }, (_, n) => ({ id: `${n}`, by: other, text: 'x', atMs: 1 }));
  const full = newcomer((state) => {
    state.moderationNotes = some;
  });
  assert.equal(full.when('addModerationNote', note('x')).lastProblem?.problem, 'limit_reached');
  assert.equal(
    full.when('removeModerationNote', { id: '7', by: other }).when('addModerationNote', note('x')).lastProblem,
    undefined,
  );
});

test('an account whose snapshot is older than the notes takes its first note', () => {
  const old = newcomer((state) => {
    Reflect.deleteProperty(state, 'moderationNotes');
  });
  assert.equal(old.when('removeModerationNote', { id: '7', by: other }).lastProblem, undefined);
  assert.equal(old.when('addModerationNote', note('first')).state.moderationNotes?.length, 1);
});
