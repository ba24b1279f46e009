import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANNOUNCED_AT_ONCE_MAX, isAnnounced, SUBSCRIBERS_MAX } from '../../../actors/account/subscribers.js';
import { newcomer, other, self } from './newcomer.js';

const on = { follower: other, on: true };
const told = { type: 'status', from: other, statusId: '7' };
const edge = { target: other, edgeId: '3', pending: false, reblogs: true, notify: true, atMs: 1 };

test('a subscriber is recorded once, and removed with the follow', () => {
  const alice = newcomer().when('subscribe', on).when('subscribe', on);
  assert.equal(alice.events.length, 1);
  assert.equal(alice.when('subscribe', { ...on, on: false }).state.subscribers.size, 0);
  const bob = newcomer(({ recentFollowers }) => recentFollowers.set(other, '3')).when('subscribe', on);
  assert.equal(bob.when('removeFollower', { follower: other, edgeId: '3' }).state.subscribers.size, 0);
});

test('the number of subscribers is bounded', () => {
  const full = newcomer(({ subscribers }) => {
    for (let n = 0; n < SUBSCRIBERS_MAX; n++) subscribers.add(`${n}`);
  }).when('subscribe', on);
  assert.equal(full.state.subscribers.size, SUBSCRIBERS_MAX);
  assert.deepEqual([full.state.subscribers.has('0'), full.state.subscribers.has(other)], [false, true]);
});

test('each journal entry notifies a slice of the subscribers, and all slices together notify each one once', () => {
  const ids = Array.from({ length: 2 * ANNOUNCED_AT_ONCE_MAX + 7 }, (_, n) =>
    String((n * 7_919) % 100_003).padStart(18, '0'),
  );
  let alice = newcomer(({ subscribers }) => {
    for (const id of ids) subscribers.add(id);
  });
  const slices: string[][] = [];
  for (let after = ''; ; ) {
    alice = alice.when('announce', { statusId: '7', after });
    const event = alice.events.at(-1);
    assert.ok(event?.type === 'announced');
    slices.push([...event.followers]);
    if (!event.more) break;
    after = event.followers.at(-1) ?? '';
  }
  assert.deepEqual(slices.flat(), ids.toSorted());
  assert.deepEqual(
    slices.map(({ length }) => length),
    [ANNOUNCED_AT_ONCE_MAX, ANNOUNCED_AT_ONCE_MAX, 7],
  );
  const before = alice.events.length;
  assert.equal(alice.when('announce', { statusId: '7', after: '9'.repeat(18) }).events.length, before);
});

test('a status notifies only subscribers who still follow its author and want it', () => {
  const notified = (change: Parameters<typeof newcomer>[0]) => newcomer(change).when('notify', told).events.length;
  assert.equal(
    notified(({ following }) => following.set(other, edge)),
    1,
  );
  assert.equal(
    notified(({ following }) => following.set(other, { ...edge, notify: false })),
    0,
  );
  assert.equal(
    notified(({ following }) => following.set(other, { ...edge, pending: true })),
    0,
  );
  assert.equal(notified(undefined), 0);
});

test('direct statuses and replies to others notify no subscriber', () => {
  assert.equal(isAnnounced(self, { visibility: 'private', inReplyToAccountId: undefined }), true);
  assert.equal(isAnnounced(self, { visibility: 'public', inReplyToAccountId: self }), true);
  assert.equal(isAnnounced(self, { visibility: 'public', inReplyToAccountId: other }), false);
  assert.equal(isAnnounced(self, { visibility: 'direct', inReplyToAccountId: undefined }), false);
});
