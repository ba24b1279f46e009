import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldMarks } from '../../../actors/conversation/marks.js';
import { STATE_LANE, UNMARKED_AT_ONCE_MAX } from '../../../actors/conversation/marks-part.js';
import { mark, started } from './thread-of-one.js';

test('a deletion removes some marks, and each further step removes more', () => {
  let thread = started();
  for (let n = 0; n < 2 * UNMARKED_AT_ONCE_MAX + 1; n++)
    thread = thread.when('favourite', { statusId: '1', by: String(700 + n) });
  const step = { statusId: '1', lane: STATE_LANE, after: '', marks: [] };
  assert.equal(thread.when('unmarkSome', step).lastProblem?.problem, 'not_found');
  thread = thread.when('remove', { statusId: '1', by: 'author' });
  const left = () => {
    const entry = thread.state.statuses.get('1');
    return entry && [...heldMarks(entry)].length;
  };
  assert.equal(left(), UNMARKED_AT_ONCE_MAX + 1);
  thread = thread.when('unmarkSome', step);
  assert.equal(left(), 1);
  thread = thread.when('unmarkSome', step);
  assert.equal(left(), 0);
});

test('notifications about a deleted status stop', () => {
  const some = { statusId: '1', what: 'reblogs', edit: 1, lane: 0, after: '', noticed: [{ accountId: mark.by }] };
  assert.equal(started().when('noticeSome', some).events.length, 2);
  const gone = started().when('remove', { statusId: '1', by: 'author' });
  assert.equal(gone.when('noticeSome', some).lastProblem?.problem, 'not_found');
});
