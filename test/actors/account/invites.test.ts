import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INVITE_USES_MAX, INVITES_MAX } from '../../../actors/account/invites.js';
import { newcomer } from './newcomer.js';

const limited = { nonce: 'n', maxUses: 2, expiresAtMs: 0 };
const given = (invite = limited) => newcomer().when('createInvite', invite);

test('an invitation is used as often as it may be, and a returned use counts again', () => {
  const used = given().when('useInvite', { nonce: 'n' }).when('useInvite', { nonce: 'n' });
  assert.equal(used.lastProblem, undefined);
  assert.equal(used.when('useInvite', { nonce: 'n' }).lastProblem?.problem, 'not_found');
  assert.equal(used.when('judgeInvite', { nonce: 'n' }).lastProblem?.problem, 'not_found');
  const returned = used.when('returnInvite', { nonce: 'n' });
  assert.equal(returned.when('useInvite', { nonce: 'n' }).lastProblem, undefined);
  assert.equal(returned.when('useInvite', { nonce: 'n' }).lastProblem?.problem, 'not_found');
});

test('uses never become negative, and an unknown invitation is worth nothing', () => {
  const returned = given().when('returnInvite', { nonce: 'n' }).when('returnInvite', { nonce: 'x' });
  assert.equal(returned.state.invites.get('n')?.uses, 0);
  assert.equal(returned.when('useInvite', { nonce: 'x' }).lastProblem?.problem, 'not_found');
});

test('an expired or revoked invitation is refused', () => {
  assert.equal(
    given({ ...limited, expiresAtMs: 1 }).when('useInvite', { nonce: 'n' }).lastProblem?.problem,
    'not_found',
  );
  const revoked = given().when('revokeInvite', { nonce: 'n' });
  assert.equal(revoked.when('useInvite', { nonce: 'n' }).lastProblem?.problem, 'not_found');
});

test('the invitations of a suspended account are worth nothing', () => {
  const decided = { by: '', text: '', mail: false };
  const suspended = given().when('moderate', { action: 'suspend', ...decided });
  assert.equal(suspended.lastProblem, undefined);
  assert.equal(suspended.when('useInvite', { nonce: 'n' }).lastProblem?.problem, 'not_found');
});

test('an account has a bounded number of invitations, of which one that is over gives way', () => {
  let full = newcomer();
  for (let count = 0; count < INVITES_MAX; count++)
    full = full.when('createInvite', { nonce: `${count}`, maxUses: 1, expiresAtMs: 0 });
  assert.equal(full.when('createInvite', limited).lastProblem?.problem, 'limit_reached');
  const over = full.when('useInvite', { nonce: '7' }).when('createInvite', limited);
  assert.equal(over.lastProblem, undefined);
  assert.deepEqual([over.state.invites.size, over.state.invites.has('7')], [INVITES_MAX, false]);
  const excess = { ...limited, maxUses: INVITE_USES_MAX + 1 };
  assert.equal(newcomer().when('createInvite', excess).lastProblem?.problem, 'invalid');
});
