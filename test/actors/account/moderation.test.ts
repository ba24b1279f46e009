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

test('what moderators decide is recorded once and can be taken back', () => {
  for (const [on, off] of [
    ['silence', 'unsilence'],
    ['sensitive', 'unsensitive'],
    ['suspend', 'unsuspend'],
    ['disable', 'enable'],
  ] as const) {
    const limited = newcomer().when('moderate', decided(on)).when('moderate', decided(on));
    assert.deepEqual(types(limited.events), ['moderated'], on);
    const free = limited.when('moderate', decided(off)).when('moderate', decided(off));
    assert.deepEqual(types(free.events), ['moderated', 'moderated'], off);
  }
});

test('a suspension keeps the tokens, so that it can be taken back; a deletion ends them for good', () => {
  const token = { tokenHash: 'a', clientId: 'c', scopes: ['read'], kind: 'access' };
  const alice = newcomer().when('issueToken', token);
  assert.equal(alice.when('moderate', decided('delete')).lastProblem?.problem, 'forbidden', 'only once suspended');
  const suspended = alice.when('moderate', decided('suspend'));
  assert.equal(suspended.state.tokens.size, 1);
  const deleted = suspended.when('moderate', decided('delete'));
  assert.equal(deleted.state.tokens.size, 0);
  assert.equal(deleted.when('moderate', decided('unsuspend')).lastProblem?.problem, 'forbidden');
});

test('who was approved cannot be rejected, and there are no other actions', () => {
  assert.equal(newcomer().when('moderate', decided('reject')).lastProblem?.problem, 'forbidden');
  assert.equal(newcomer().when('moderate', decided('constructor')).lastProblem?.problem, 'invalid');
});

test('a role is given and taken', () => {
  const moderator = newcomer().when('moderate', decided('role', 'moderator'));
  assert.equal(moderator.state.owner?.role, 'moderator');
  assert.equal(moderator.when('moderate', decided('role', 'user')).state.owner?.role, 'user');
});
