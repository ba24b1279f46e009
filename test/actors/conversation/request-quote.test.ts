import assert from 'node:assert/strict';
import { test } from 'node:test';
import { started } from './thread-of-one.js';

const asked = {
  ...{ statusId: '1', by: 'bob', quotingId: '9', quotingUri: 'https://far.example/9', visibility: 'public' },
  ...{ follows: false, conversationId: '9', requestId: 'https://far.example/9#request', approvalUri: 'stamp' },
};
type Thread = ReturnType<typeof started>;
const open = () => started({ quotePolicy: 'public' });
/** Returns the stamps of all answers; undefined for a refusal. */
const answers = ({ events }: Thread) =>
  events.flatMap((event) => (event.type === 'quoteAnswered' ? [event.approvalUri] : []));
const quotesOf = ({ state }: Thread) => state.statuses.get('1')?.record.quotes;

test('a permitted request is answered with the stamp, each time anew, and counted once', () => {
  const thread = open().when('requestQuote', asked).when('requestQuote', asked);
  assert.deepEqual([answers(thread), quotesOf(thread)], [['stamp', 'stamp'], 1]);
});

test('the policy decides, followers included', () => {
  const followers = () => started({ quotePolicy: 'followers' });
  assert.deepEqual(answers(started({ quotePolicy: 'nobody' }).when('requestQuote', asked)), [undefined]);
  assert.deepEqual(answers(followers().when('requestQuote', asked)), [undefined]);
  assert.deepEqual(answers(followers().when('requestQuote', { ...asked, follows: true })), ['stamp']);
  assert.deepEqual(answers(started({ visibility: 'private' }).when('requestQuote', asked)), [undefined]);
});

test('a revoked quote is refused when its server asks again', () => {
  const revoke = { statusId: '1', by: 'author', quotingId: '9' };
  const thread = open().when('requestQuote', asked).when('revokeQuote', revoke).when('requestQuote', asked);
  assert.deepEqual([answers(thread), quotesOf(thread)], [['stamp', undefined], undefined]);
});

test('nobody answers for a status of another server, or for a deleted one', () => {
  assert.deepEqual(answers(started({ domain: 'far.example', quotePolicy: 'public' }).when('requestQuote', asked)), [
    undefined,
  ]);
  const gone = open().when('remove', { statusId: '1', by: 'author' }).when('requestQuote', asked);
  assert.equal(gone.lastProblem?.problem, 'not_found');
});
