import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newcomer } from './newcomer.js';

const decided = (action: string, role?: string) => ({
  action,
  by: '7',
  text: '',
  mail: false,
  ...(role === undefined ? {} : { role }),
});
const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);

test('a moderator’s decision is recorded once and can be undone', () => {
  for (const [on, off] of [
    ['silence', 'unsilence'],
    ['sensitive', 'unsensitive'],
    ['suspend', 'unsuspend'],
    ['disable', 'enable'],
    ['memorialize', 'unmemorialize'],
  ] as const) {
    const limited = newcomer().when('moderate', decided(on)).when('moderate', decided(on));
    assert.deepEqual(types(limited.events), ['moderated'], on);
    const free = limited.when('moderate', decided(off)).when('moderate', decided(off));
    assert.deepEqual(types(free.events), ['moderated', 'moderated'], off);
  }
});

test('a suspension keeps the tokens, and a deletion revokes them', () => {
  const token = { tokenHash: 'a', clientId: 'c', scopes: ['read'], kind: 'access' };
  const alice = newcomer().when('issueToken', token);
  assert.equal(
    alice.when('moderate', decided('delete')).lastProblem?.problem,
    'forbidden',
    'only a suspended account can be deleted',
  );
  const suspended = alice.when('moderate', decided('suspend'));
  assert.equal(suspended.state.tokens.size, 1);
  const deleted = suspended.when('moderate', decided('delete'));
  assert.equal(deleted.state.tokens.size, 0);
  assert.equal(deleted.when('moderate', decided('unsuspend')).lastProblem?.problem, 'forbidden');
});

test('an approved account cannot be rejected, and unknown actions are refused', () => {
  assert.equal(newcomer().when('moderate', decided('reject')).lastProblem?.problem, 'forbidden');
  assert.equal(newcomer().when('moderate', decided('constructor')).lastProblem?.problem, 'invalid');
});

test('a role is assigned and removed', () => {
  const moderator = newcomer().when('moderate', decided('role', 'moderator'));
  assert.equal(moderator.state.owner?.role, 'moderator');
  assert.equal(moderator.when('moderate', decided('role', 'user')).state.owner?.role, 'user');
});

test('a frozen or suspended account loses codes, links and browser sessions, and gets no new token', () => {
  const code = { codeHash: 'code', clientId: 'app', redirectUri: 'https://app/', scopes: ['read'] };
  const exchange = { ...code, tokenHash: 't' };
  const token = (tokenHash: string, kind: string) => ({ tokenHash, clientId: 'app', scopes: ['read'], kind });
  for (const [on, off] of [
    ['disable', 'enable'],
    ['suspend', 'unsuspend'],
    ['memorialize', 'unmemorialize'],
  ] as const) {
    const shut = newcomer()
      .when('issueToken', token('app', 'access'))
      .when('issueToken', token('browser', 'session'))
      .when('askReset', { nonce: 'n' })
      .when('grantCode', code)
      .when('moderate', decided(on));
    assert.deepEqual([...shut.state.tokens.keys()], ['app'], on);
    assert.equal(shut.when('issueToken', token('new', 'session')).lastProblem?.problem, 'forbidden', on);
    assert.equal(shut.when('grantCode', { ...code, codeHash: 'new' }).lastProblem?.problem, 'forbidden', on);
    const free = shut.when('moderate', decided(off));
    assert.equal(free.when('exchangeCode', exchange).lastProblem?.problem, 'bad_request', on);
    assert.equal(free.when('judgeReset', { nonce: 'n' }).lastProblem?.problem, 'invalid', on);
    assert.equal(free.when('issueToken', token('new', 'session')).lastProblem, undefined, on);
  }
});

test('an account that is deleted cannot become a memorial', () => {
  const deleted = newcomer().when('moderate', decided('suspend')).when('moderate', decided('delete'));
  assert.equal(deleted.when('moderate', decided('memorialize')).lastProblem?.problem, 'forbidden');
});

test('a code from before a change of role is invalid', () => {
  const code = { codeHash: 'code', clientId: 'app', redirectUri: 'https://app/', scopes: ['admin:read'] };
  const demoted = newcomer().when('grantCode', code).when('moderate', decided('role', 'moderator'));
  assert.equal(demoted.when('exchangeCode', { ...code, tokenHash: 't' }).lastProblem?.problem, 'bad_request');
});
