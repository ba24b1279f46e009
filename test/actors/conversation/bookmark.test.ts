import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MARKS_MAX } from '../../../actors/conversation/marks.js';
import { mark, started } from './thread-of-one.js';

test('a bookmark is recorded once, is not counted, and can be undone', () => {
  const kept = started().when('bookmark', mark).when('bookmark', mark);
  assert.equal(kept.events.length, 2);
  const entry = kept.state.statuses.get('1');
  assert.deepEqual([entry?.record.favourites, entry?.record.reblogs, entry?.markCount], [0, 0, 1]);
  const undone = kept.when('unbookmark', mark);
  assert.deepEqual([undone.reply, entry?.markCount], [{ was: true }, 0]);
  const again = undone.when('unbookmark', mark);
  assert.deepEqual([again.reply, again.events.length], [{ was: false }, 3]);
});

test('a deleted status cannot be bookmarked, and bookmarks count towards the limit of marks', () => {
  const gone = started().when('remove', { statusId: '1', by: 'author' });
  assert.equal(gone.when('bookmark', mark).lastProblem?.problem, 'not_found');
  assert.equal(gone.when('unbookmark', mark).lastProblem?.problem, 'not_found');
  const full = started();
  const entry = full.state.statuses.get('1');
  assert.ok(entry !== undefined);
  entry.markCount = MARKS_MAX;
  assert.equal(full.when('bookmark', mark).lastProblem?.problem, 'limit_reached');
});
