import assert from 'node:assert/strict';
import { test } from 'node:test';
import { started } from './thread-of-one.js';

const remote = { emojis: [], updatedMs: 0, inReplyToUri: '', repliesUri: '' };
const foreign = () => started({ domain: 'far.example', remote });
const quote = { statusId: '5', accountId: 'vera', conversationId: '5', state: 'accepted', follows: false };
const attach = { statusId: '1', by: 'author', quote };
const stateOf = (thread: ReturnType<typeof started>) => thread.state.statuses.get('1')?.record.quote?.state;

test("another server's status gets its quote once, and loses it", () => {
  const quoting = foreign().when('attachQuote', attach).when('attachQuote', attach);
  assert.equal(quoting.events.filter(({ type }) => type === 'quoteAttached').length, 1);
  assert.equal(stateOf(quoting), 'accepted');
  assert.equal(stateOf(quoting.when('attachQuote', { ...attach, quote: undefined })), undefined);
});

test('only its author gives a status a quote, and a local status takes none', () => {
  assert.equal(foreign().when('attachQuote', { ...attach, by: 'bob' }).lastProblem?.problem, 'not_found');
  assert.equal(started().when('attachQuote', attach).lastProblem?.problem, 'not_found');
});

test('a revoked quote shows again only when it is permitted again', () => {
  const inState = (state: string) => ({ ...attach, quote: { ...quote, state } });
  const revoked = foreign().when('attachQuote', inState('revoked'));
  for (const state of ['pending', 'rejected'])
    assert.equal(stateOf(revoked.when('attachQuote', inState(state))), 'revoked');
  assert.equal(stateOf(revoked.when('attachQuote', inState('accepted'))), 'accepted');
});

test('an older proof does not undo the permission of a local author', () => {
  const inState = (state: string, more: object = {}) => ({ ...attach, quote: { ...quote, state, ...more } });
  const accepted = foreign().when('attachQuote', inState('accepted'));
  for (const state of ['pending', 'rejected'])
    assert.equal(stateOf(accepted.when('attachQuote', inState(state))), 'accepted');
  assert.equal(stateOf(accepted.when('attachQuote', inState('revoked'))), 'revoked');
  const uri = 'https://far.example/5';
  const elsewhere = foreign().when('attachQuote', inState('accepted', { uri }));
  assert.equal(stateOf(elsewhere.when('attachQuote', inState('pending', { uri }))), 'pending');
});
