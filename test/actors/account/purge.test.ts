import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PURGE_ALARM, SUSPENSION_KEPT_MS } from '../../../actors/account/purge.js';
import { newcomer, other, startMs } from './newcomer.js';

const decided = (action: string) => ({ action, by: '7', text: '', mail: false });
const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);
const dueMs = startMs + SUSPENSION_KEPT_MS;
const call = { what: PURGE_ALARM, atMs: dueMs };
const token = { tokenHash: 'a', clientId: 'c', scopes: ['read'], kind: 'access' };
const profile = { displayName: 'Alice', note: 'me', fields: [], setFields: false, avatar: 'a.png' };

const suspended = () =>
  newcomer()
    .when('updateProfile', profile)
    .when('issueToken', token)
    .when('mute', { target: other, notifications: true, durationMs: 0 })
    .when('moderate', decided('suspend'));

test('a suspension deletes the account when its time is up, once, and not before', () => {
  const alice = suspended();
  const known = alice.events.length;
  assert.equal(alice.when('alarm', call, { nowMs: dueMs - 1 }).lastProblem?.problem, 'unavailable');
  const gone = alice.when('alarm', call, { nowMs: dueMs });
  assert.deepEqual(types(gone.events.slice(known)), ['tokenRevoked', 'purged']);
  const { moderation, profile: left, owner, muting, tokens } = gone.state;
  assert.deepEqual([moderation.deleted, left.displayName, left.note, left.avatar], [true, '', '', undefined]);
  assert.deepEqual([owner?.username, owner?.email, owner?.passwordHash], ['alice', '', '']);
  assert.deepEqual([muting.size, tokens.size], [0, 0]);
  assert.equal(gone.when('alarm', call, { nowMs: dueMs }).events.length, known + 2);
  assert.equal(gone.when('moderate', decided('unsuspend')).lastProblem?.problem, 'forbidden');
});

test('a suspension that was undone deletes nothing, even after another one', () => {
  const free = suspended().when('moderate', decided('unsuspend'));
  assert.equal(free.when('alarm', call, { nowMs: dueMs }).events.length, free.events.length);
  const again = free.when('moderate', decided('suspend'), { nowMs: startMs + 1 });
  assert.equal(again.when('alarm', call, { nowMs: dueMs }).events.length, again.events.length);
  assert.equal(again.state.profile.displayName, 'Alice');
});

test('a moderator’s deletion takes effect at once, and only a deleted account is purged', () => {
  const alice = suspended();
  assert.deepEqual(types(alice.when('moderate', decided('delete')).events).slice(-2), ['moderated', 'purged']);
  const some = { phase: 'statuses', items: [], after: '1' };
  assert.equal(alice.when('purgeSome', some).events.at(-1)?.type, 'somePurged');
  assert.equal(suspended().when('purgeSome', some).lastProblem?.problem, 'forbidden');
});

test('an owner deletes the account at once, and once', () => {
  const alice = newcomer().when('updateProfile', profile).when('issueToken', token);
  const gone = alice.when('deleteAccount', {});
  assert.deepEqual(types(gone.events.slice(alice.events.length)), ['tokenRevoked', 'purged']);
  const { moderation, profile: left, owner, tokens } = gone.state;
  assert.deepEqual([moderation.deleted, left.displayName, owner?.email, tokens.size], [true, '', '', 0]);
  assert.equal(gone.when('deleteAccount', {}).events.length, gone.events.length);
});
