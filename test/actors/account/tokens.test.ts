import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CODE_LIFETIME_MS, CODES_MAX, TOKENS_MAX } from '../../../actors/account/tokens.js';
import { newcomer, startMs } from './newcomer.js';

const token = (tokenHash: string) => ({ tokenHash, clientId: 'app', scopes: ['read'], kind: 'access' });
const code = { codeHash: 'code', clientId: 'app', redirectUri: 'https://app/', scopes: ['read'], challenge: 'c' };
const exchange = { codeHash: 'code', clientId: 'app', redirectUri: 'https://app/', challenge: 'c', tokenHash: 't' };

test('a token is issued once, and above the limit the oldest is revoked', () => {
  let alice = newcomer().when('issueToken', token('0')).when('issueToken', token('0'));
  assert.equal(alice.events.length, 1);
  for (let n = 1; n <= TOKENS_MAX; n++) alice = alice.when('issueToken', token(`${n}`));
  assert.equal(alice.state.tokens.size, TOKENS_MAX);
  assert.ok(alice.events.some((event) => event.type === 'tokenRevoked' && event.tokenHash === '0'));
});

test('revoking an unknown token records nothing, and a new password revokes all', () => {
  const alice = newcomer().when('issueToken', token('a')).when('revokeToken', { tokenHash: 'b' });
  assert.equal(alice.events.length, 1);
  const changed = alice.when('changePassword', { passwordHash: 'new' });
  assert.deepEqual([changed.state.owner?.passwordHash, changed.state.tokens.size], ['new', 0]);
  assert.equal(changed.when('changePassword', { passwordHash: 'new' }).events.length, changed.events.length);
});

test('heldTokens returns the hashes of all tokens, oldest first', () => {
  const alice = newcomer().when('issueToken', token('a')).when('issueToken', token('b')).when('heldTokens', {});
  assert.deepEqual(alice.reply, { hashes: ['a', 'b'] });
  assert.equal(alice.events.length, 2);
});

test('a code yields one token, and a second use revokes that token', () => {
  const alice = newcomer().when('grantCode', code).when('grantCode', code).when('exchangeCode', exchange);
  assert.deepEqual(alice.reply, { scopes: ['read'], atMs: startMs, reused: false });
  assert.ok(alice.state.tokens.has('t'));
  const again = alice.when('exchangeCode', { ...exchange, tokenHash: 'u' });
  assert.deepEqual(again.reply, { scopes: [], atMs: startMs, reused: true });
  assert.equal(again.state.tokens.size, 0);
  assert.equal(again.when('exchangeCode', exchange).lastProblem?.problem, 'bad_request');
});

test('a code is refused for another client, redirection, challenge or time, and stays valid', () => {
  const alice = newcomer().when('grantCode', code);
  const wrong = [
    { clientId: 'x' },
    { redirectUri: 'x' },
    { challenge: 'x' },
    { challenge: undefined },
    { codeHash: 'x' },
  ];
  for (const part of wrong)
    assert.equal(alice.when('exchangeCode', { ...exchange, ...part }).lastProblem?.problem, 'bad_request');
  const late = { nowMs: startMs + CODE_LIFETIME_MS };
  assert.equal(alice.when('exchangeCode', exchange, late).lastProblem?.problem, 'bad_request');
  assert.equal(alice.when('exchangeCode', exchange).lastProblem, undefined);
});

test('a verifier for a code that had no challenge is refused', () => {
  const alice = newcomer().when('grantCode', { ...code, challenge: undefined });
  assert.equal(alice.when('exchangeCode', exchange).lastProblem?.problem, 'bad_request');
});

test('the oldest of too many codes is dropped', () => {
  let alice = newcomer();
  for (let n = 0; n <= CODES_MAX; n++) alice = alice.when('grantCode', { ...code, codeHash: `${n}` });
  assert.deepEqual([alice.state.codes.size, alice.state.codes.has('0')], [CODES_MAX, false]);
});

test('a new password invalidates authorization codes', () => {
  const granted = () => newcomer().when('grantCode', code).when('askReset', { nonce: 'n' });
  const changed = granted().when('changePassword', { passwordHash: 'new' });
  assert.equal(changed.when('exchangeCode', exchange).lastProblem?.problem, 'bad_request');
  const reset = granted().when('resetPassword', { nonce: 'n', passwordHash: 'new' });
  assert.equal(reset.when('exchangeCode', exchange).lastProblem?.problem, 'bad_request');
});

test('a revoked token removes its push subscription', () => {
  const subscription = { tokenHash: 'a', endpoint: 'https://push.example/', standard: true, p256dh: '', auth: '' };
  const alice = newcomer()
    .when('issueToken', token('a'))
    .when('subscribePush', { ...subscription, alerts: [], policy: 'all' })
    .when('revokeToken', { tokenHash: 'a' });
  assert.equal(alice.state.pushes.size, 0);
});
