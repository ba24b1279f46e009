import assert from 'node:assert/strict';
import { test } from 'node:test';
import { started } from './thread-of-one.js';

const policy = { statusId: '1', by: 'author', policy: 'followers' };

test('only the author sets the quote policy, to known values, and each change is recorded once', () => {
  const set = started().when('setQuotePolicy', policy).when('setQuotePolicy', policy);
  assert.deepEqual([set.events.length, set.state.statuses.get('1')?.record.quotePolicy], [2, 'followers']);
  assert.equal(started().when('setQuotePolicy', { ...policy, by: 'bob' }).lastProblem?.problem, 'not_found');
  assert.equal(started().when('setQuotePolicy', { ...policy, policy: 'friends' }).lastProblem?.problem, 'invalid');
});
