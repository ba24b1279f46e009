import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOTICES_REMEMBERED_MAX } from '../../../actors/account/notify.js';
import { newcomer, other, self } from './newcomer.js';

const favourite = { type: 'favourite', from: other, statusId: '5' };

test('the same is notified once until it is dismissed or cleared', () => {
  const alice = newcomer().when('notify', favourite).when('notify', favourite);
  assert.equal(alice.events.length, 1);
  const id = alice.state.lastNotificationId ?? '';
  assert.equal(alice.when('dismissNotification', { id }).when('notify', favourite).events.length, 3);
  assert.equal(alice.when('clearNotifications', {}).when('notify', favourite).events.length, 3);
});

test('nobody is notified of what they did themselves or what a blocked account did', () => {
  assert.deepEqual(newcomer().when('notify', { ...favourite, from: self }).events, []);
  assert.deepEqual(newcomer((state) => state.blocking.set(other, '1')).when('notify', favourite).events, []);
  assert.deepEqual(newcomer((state) => state.blockedBy.add(other)).when('notify', favourite).events, []);
});

test('dismissing what never was, or again, records nothing; so does clearing nothing', () => {
  const alice = newcomer().when('notify', favourite);
  for (const id of ['999999999999999999', 'x', ''])
    assert.equal(alice.when('dismissNotification', { id }).events.length, 1);
  const id = alice.state.lastNotificationId ?? '';
  assert.equal(alice.when('dismissNotification', { id }).when('dismissNotification', { id }).events.length, 2);
  assert.deepEqual(newcomer().when('clearNotifications', {}).events, []);
});

test('what is remembered to recognise repeats is bounded', () => {
  let alice = newcomer();
  for (let n = 0; n <= NOTICES_REMEMBERED_MAX; n++) alice = alice.when('notify', { ...favourite, statusId: `${n}` });
  assert.equal(alice.state.recentNotices.size, NOTICES_REMEMBERED_MAX);
});
