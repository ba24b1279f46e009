import assert from 'node:assert/strict';
import { test } from 'node:test';
import { USERNAME_CHARS_MAX } from '../../../actors/account/register.js';
import { initialAccount } from '../../../actors/account/slices.js';
import { accountSlice } from '../../../actors/kinds/account.js';
import { given } from '../../kit/actors/given.js';
import { registration } from '../reactions/town.js';
import { newcomer, self } from './newcomer.js';

const unregistered = () => given(accountSlice, initialAccount(self));

test('a repeated registration with the same names records nothing, and with others it is a conflict', () => {
  const alice = newcomer();
  assert.deepEqual(alice.when('register', registration('alice')).events, []);
  assert.equal(alice.when('register', registration('bob')).lastProblem?.problem, 'conflict');
});

test('a username must be short and plain', () => {
  for (const username of ['a b', '', 'é', 'a'.repeat(USERNAME_CHARS_MAX + 1)]) {
    const refused = unregistered().when('register', registration(username));
    assert.equal(refused.lastProblem?.problem, 'invalid');
    assert.deepEqual(refused.events, []);
  }
});

test('an unregistered account answers queries of its credentials only', () => {
  assert.deepEqual(unregistered().when('credentials', {}).reply, {
    ...{ exists: false, username: '', email: '', passwordHash: '', role: '' },
    ...{ confirmed: false, approved: false, disabled: false, clientId: undefined, suspended: false, memorial: false },
  });
  assert.equal(unregistered().when('clearNotifications', {}).lastProblem?.problem, 'not_found');
});

test('the valid link confirms the address, once', () => {
  const alice = given(accountSlice, initialAccount(self)).when('register', registration('unconfirmed'));
  assert.equal(alice.when('confirmEmail', { nonce: 'wrong' }).lastProblem?.problem, 'invalid');
  const confirmed = alice.when('confirmEmail', { nonce: 'confirmation-nonce' });
  assert.equal(confirmed.state.owner?.confirmed, true);
  const again = confirmed.when('confirmEmail', { nonce: 'confirmation-nonce' });
  assert.equal(again.events.length, confirmed.events.length);
});
