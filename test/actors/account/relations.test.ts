import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newcomer, other } from './newcomer.js';

test('relations describe the account’s relation to each target, and record nothing', () => {
  const alice = newcomer(({ requests, blocking }) => {
    requests.set(other, { edgeId: '1', atMs: 1 });
    blocking.set('5', '1');
  }).when('relations', { targets: [other, '5'] });
  const none = {
    following: false,
    requested: false,
    reblogs: false,
    notify: false,
    blockedBy: false,
    muting: false,
    mutingNotifications: false,
    mutingUntilMs: 0,
    note: '',
    endorsed: false,
    limit: undefined,
    followedBy: false,
  };
  assert.deepEqual(alice.reply, {
    relations: [
      { target: other, ...none, blocking: false, requestedBy: true },
      { target: '5', ...none, blocking: true, requestedBy: false },
    ],
  });
  assert.deepEqual(alice.events, []);
});

test('followers are named as far as they are stored', () => {
  const followedBy = (followers: number, target: string) => {
    const alice = newcomer((state) => {
      state.followers = followers;
      state.recentFollowers.set(other, '3');
    }).when('relations', { targets: [target] });
    assert.ok(alice.reply !== undefined && 'relations' in alice.reply);
    return alice.reply.relations[0]?.followedBy;
  };
  assert.deepEqual([followedBy(1, other), followedBy(1, '5')], [true, false]);
  assert.deepEqual([followedBy(2, other), followedBy(2, '5')], [true, undefined]);
});

test('sources contain all followed accounts, and blocks in both directions', () => {
  const alice = newcomer(({ blocking, blockedBy }) => {
    blocking.set('5', '1');
    blockedBy.add('5').add('6');
  })
    .when('follow', { target: other, targetLocked: true })
    .when('sources', {});
  assert.ok(alice.reply !== undefined && 'blocked' in alice.reply && 'following' in alice.reply);
  assert.deepEqual([alice.reply.blocked, alice.reply.blockedBy], [['5'], ['5', '6']]);
  assert.deepEqual(
    alice.reply.following.map(({ target, pending }) => [target, pending]),
    [[other, true]],
  );
});
