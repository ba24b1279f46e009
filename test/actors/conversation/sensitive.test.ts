import assert from 'node:assert/strict';
import { test } from 'node:test';
import { started } from './thread-of-one.js';

const mark = { statusId: '1', by: 'author' };

test('a status that is marked as sensitive keeps its text, and its history shows the change', () => {
  const marked = started({ tags: ['birds'] }).when('markSensitive', mark);
  const record = marked.state.statuses.get('1')?.record;
  assert.deepEqual([record?.sensitive, record?.text, record?.tags, record?.edits], [true, 'text', ['birds'], 1]);
  const event = marked.events.at(-1) as unknown as { first: { sensitive: boolean }; newlyMentioned: string[] };
  assert.deepEqual([event.first.sensitive, event.newlyMentioned], [false, []]);
});

test('a status that is sensitive already is not changed again', () => {
  const once = started().when('markSensitive', mark);
  assert.equal(once.when('markSensitive', mark).events.length, once.events.length);
});

test('a status of somebody else, and a deleted one, cannot be marked', () => {
  assert.equal(started().when('markSensitive', { ...mark, by: 'bob' }).lastProblem?.problem, 'not_found');
  const gone = started().when('remove', { statusId: '1', by: 'author' });
  assert.equal(gone.when('markSensitive', mark).lastProblem?.problem, 'not_found');
});
