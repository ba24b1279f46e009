import assert from 'node:assert/strict';
import { test } from 'node:test';
import { started } from './thread-of-one.js';

const quoting = { statusId: '1', by: 'bob', quotingId: '9', visibility: 'public', follows: false, conversationId: '9' };
const open = () => started({ quotePolicy: 'public' });
const stateOf = (thread: ReturnType<typeof started>) =>
  (thread.when('quoteState', { statusId: '1', quotingId: '9' }).reply as { state: string }).state;

test('a permitted quote is recorded once, and counted', () => {
  const quoted = open().when('quote', quoting).when('quote', quoting);
  assert.equal(quoted.events.filter(({ type }) => type === 'quoted').length, 1);
  assert.deepEqual([quoted.state.statuses.get('1')?.record.quotes, stateOf(quoted)], [1, 'accepted']);
});

test('the quote policy restricts quotes to followers, or to the author', () => {
  const followers = () => started({ quotePolicy: 'followers' });
  assert.equal(stateOf(followers().when('quote', quoting)), 'rejected');
  assert.equal(stateOf(followers().when('quote', { ...quoting, follows: true })), 'accepted');
  const nobody = () => started({ quotePolicy: 'nobody' });
  assert.equal(stateOf(nobody().when('quote', quoting)), 'rejected');
  assert.equal(stateOf(nobody().when('quote', { ...quoting, by: 'author' })), 'accepted');
  assert.equal(stateOf(started().when('quote', quoting)), 'accepted', 'the default policy');
});

test('a status of another server is quoted only with the approval of that server, whatever its policy', () => {
  const foreign = () => started({ quotePolicy: 'public', domain: 'far.example' });
  assert.equal(stateOf(foreign().when('quote', quoting)), 'rejected');
  assert.equal(stateOf(foreign().when('quote', { ...quoting, approved: true })), 'accepted');
});

test('a private status is quoted by its author for followers only, and a direct one by nobody', () => {
  const own = { ...quoting, by: 'author' };
  const narrow = () => started({ visibility: 'private', quotePolicy: 'public' });
  assert.equal(stateOf(narrow().when('quote', own)), 'rejected');
  assert.equal(stateOf(narrow().when('quote', { ...quoting, visibility: 'private', follows: true })), 'rejected');
  assert.equal(stateOf(narrow().when('quote', { ...own, visibility: 'private' })), 'accepted');
  assert.equal(stateOf(started({ visibility: 'direct' }).when('quote', { ...own, visibility: 'direct' })), 'rejected');
});

test('quotes that are not public are not counted', () => {
  const quoted = open().when('quote', { ...quoting, visibility: 'private' });
  assert.deepEqual([quoted.state.statuses.get('1')?.record.quotes, stateOf(quoted)], [undefined, 'accepted']);
});

test('only the author revokes a quote, once, and revoking an unknown one is refused', () => {
  const revoke = { statusId: '1', by: 'author', quotingId: '9' };
  const revoked = open().when('quote', quoting).when('revokeQuote', revoke).when('revokeQuote', revoke);
  assert.equal(revoked.events.filter(({ type }) => type === 'quoteRevoked').length, 1);
  assert.deepEqual([revoked.state.statuses.get('1')?.record.quotes, stateOf(revoked)], [undefined, 'revoked']);
  assert.equal(stateOf(revoked.when('quote', quoting)), 'revoked');
  const others = open()
    .when('quote', quoting)
    .when('revokeQuote', { ...revoke, by: 'bob' });
  assert.equal(others.lastProblem?.problem, 'forbidden');
  assert.equal(open().when('revokeQuote', revoke).lastProblem?.problem, 'not_found');
});

test('a deleted quoting status is not counted, and a deleted quoted status reports it', () => {
  const gone = open().when('quote', quoting).when('unquote', { statusId: '1', quotingId: '9' });
  assert.deepEqual(
    [gone.state.statuses.get('1')?.record.quotes, gone.state.statuses.get('1')?.markCount],
    [undefined, 0],
  );
  assert.equal(stateOf(open().when('remove', { statusId: '1', by: 'author' })), 'deleted');
});

test('a quoting status stores the state of its quote', () => {
  const quote = { statusId: '7', accountId: 'carol', conversationId: '7', state: 'accepted', follows: false };
  const settle = { statusId: '1', quotedId: '7', state: 'revoked' };
  const settled = started({ quote }).when('settleQuote', settle).when('settleQuote', settle);
  assert.equal(settled.events.filter(({ type }) => type === 'quoteSettled').length, 1);
  assert.equal(settled.state.statuses.get('1')?.record.quote?.state, 'revoked');
  const other = started({ quote }).when('settleQuote', { ...settle, quotedId: '8' });
  assert.equal(other.state.statuses.get('1')?.record.quote?.state, 'accepted');
});

test('answers of another server settle a quote; a refusal of a permitted one revokes it for good', () => {
  const quote = { statusId: '7', accountId: 'carol', conversationId: '7', state: 'pending', follows: false };
  const settled = (...states: readonly string[]) => {
    let thread = started({ quote: { ...quote, uri: 'https://far.example/7' } });
    for (const state of states) {
      const approvalUri = state === 'accepted' ? 'https://far.example/stamp' : undefined;
      thread = thread.when('settleQuote', { statusId: '1', quotedId: '7', state, approvalUri });
    }
    return thread.state.statuses.get('1')?.record.quote;
  };
  assert.deepEqual(
    [settled('accepted')?.state, settled('accepted')?.approvalUri],
    ['accepted', 'https://far.example/stamp'],
  );
  assert.equal(settled('rejected')?.state, 'rejected');
  assert.equal(settled('rejected', 'accepted')?.state, 'accepted');
  for (const later of ['rejected', 'accepted'])
    assert.equal(settled('accepted', 'rejected', later)?.state, 'revoked', later);
});
