import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INVITE_USES_MAX, INVITES_MAX } from '../../../actors/account/invites.js';
import { newcomer } from './newcomer.js';

const limited = { nonce: 'n', maxUses: 2, expiresAtMs: 0 };
const given = (invite = limited) => newcomer().when('createInvite', invite);

const by = (account: string, nonce = 'n') => ({ nonce, account });

test('an invitation is used as often as it may be, and a returned use counts again', () => {
  const used = given().when('useInvite', by('1')).when('useInvite', by('2'));
  assert.deepEqual([used.lastProblem, used.reply], [undefined, { taken: true }]);
  assert.equal(used.when('useInvite', by('3')).lastProblem?.problem, 'not_found');
  assert.equal(used.when('judgeInvite', by('3')).lastProblem?.problem, 'not_found');
  const returned = used.when('returnInvite', by('2'));
  assert.equal(returned.when('useInvite', by('3')).lastProblem, undefined);
  assert.equal(returned.when('useInvite', by('3')).when('useInvite', by('4')).lastProblem?.problem, 'not_found');
});

test('a repeat for the same account takes no other use, and returns no use of others', () => {
  const used = given().when('useInvite', by('1')).when('useInvite', by('1'));
  assert.deepEqual([used.reply, used.state.invites.get('n')?.uses], [{ taken: false }, 1]);
  const returned = used.when('returnInvite', by('1')).when('returnInvite', by('1')).when('returnInvite', by('9'));
  assert.equal(returned.state.invites.get('n')?.uses, 0);
  assert.equal(returned.when('useInvite', by('9', 'x')).lastProblem?.problem, 'not_found');
});

test('an invitation without a limit of uses remembers a bounded number of accounts', () => {
  let open = given({ ...limited, maxUses: 0 });
  for (let count = 1; count <= INVITE_USES_MAX + 5; count++) open = open.when('useInvite', by(`${count}`));
  const { uses, users } = open.state.invites.get('n') ?? {};
  assert.deepEqual([uses, users?.length], [INVITE_USES_MAX + 5, INVITE_USES_MAX]);
});

test('an expired or revoked invitation is refused', () => {
  assert.equal(given({ ...limited, expiresAtMs: 1 }).when('useInvite', by('1')).lastProblem?.problem, 'not_found');
  const revoked = given().when('revokeInvite', { nonce: 'n' });
  assert.equal(revoked.when('useInvite', by('1')).lastProblem?.problem, 'not_found');
});

test('the invitations of a suspended account are worth nothing', () => {
  const decided = { by: '', text: '', mail: false };
  const suspended = given().when('moderate', { action: 'suspend', ...decided });
  assert.equal(suspended.lastProblem, undefined);
  assert.equal(suspended.when('useInvite', by('1')).lastProblem?.problem, 'not_found');
});

test('an account has a bounded number of invitations, of which one that is over gives way', () => {
  let full = newcomer();
  for (let count = 0; count < INVITES_MAX; count++)
    full = full.when('createInvite', { nonce: `${count}`, maxUses: 1, expiresAtMs: 0 });
  assert.equal(full.when('createInvite', limited).lastProblem?.problem, 'limit_reached');
  const over = full.when('useInvite', by('1', '7')).when('createInvite', limited);
  assert.equal(over.lastProblem, undefined);
  assert.deepEqual([over.state.invites.size, over.state.invites.has('7')], [INVITES_MAX, false]);
  const excess = { ...limited, maxUses: INVITE_USES_MAX + 1 };
  assert.equal(newcomer().when('createInvite', excess).lastProblem?.problem, 'invalid');
});
