import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DISMISSED_TOGETHER_MAX,
  MILESTONE_NOTICES,
  MILESTONES_MAX,
  NOTICES_REMEMBERED_MAX,
  SWEPT_MIN,
} from '../../../actors/account/notify.js';
import { idMs, makeId } from '../../../actors/domain/ids.js';
import { accountSlice } from '../../../actors/kinds/account.js';
import { newcomer, other, self, startMs } from './newcomer.js';

const favourite = { type: 'favourite', from: other, statusId: '5' };

test('a notification is not repeated until it is dismissed or cleared', () => {
  const alice = newcomer().when('notify', favourite).when('notify', favourite);
  assert.equal(alice.events.length, 1);
  const id = alice.state.lastNotificationId ?? '';
  assert.equal(alice.when('dismissNotification', { id }).when('notify', favourite).events.length, 3);
  assert.equal(alice.when('clearNotifications', {}).when('notify', favourite).events.length, 3);
});

test('the oldest notifications are trimmed when there are too many', () => {
  const id = (n: number) => makeId(startMs + n, 0, 0);
  const full = newcomer((state) => {
    const { notified } = accountSlice.apply;
    const event = { kind: 'favourite', from: other, atMs: startMs };
    for (let n = 1; n <= MILESTONE_NOTICES + 1; n++)
      notified(state, { ...event, id: id(n), statusId: `${n}` }, startMs);
    assert.deepEqual([state.milestones, state.unmarkedNotices], [[id(MILESTONE_NOTICES)], 1]);
    const further = Array.from({ length: MILESTONES_MAX - 2 }, (_, n) => id(MILESTONE_NOTICES * (n + 2)));
    state.milestones = [...state.milestones, ...further];
  });
  assert.deepEqual(
    full.when('notify', favourite).events.map(({ type }) => type),
    ['notified'],
  );
  const after = newcomer((state) => {
    state.milestones = Array.from({ length: MILESTONES_MAX }, (_, n) => id(MILESTONE_NOTICES * (n + 1)));
  }).when('notify', favourite);
  assert.deepEqual(after.events[0], {
    type: 'notificationsTrimmed',
    upToId: id(MILESTONE_NOTICES),
    afterId: undefined,
  });
  assert.deepEqual(
    [after.state.clearedUpToId, after.state.milestones.length],
    [id(MILESTONE_NOTICES), MILESTONES_MAX - 1],
  );
  assert.equal(after.when('notify', { ...favourite, statusId: '6' }).events.length, 3);
  assert.deepEqual(after.when('clearNotifications', {}).state.milestones, []);
});

test('an edit replaces the notification of the edit before', () => {
  const update = { type: 'update', from: other, statusId: '5' };
  const alice = newcomer()
    .when('notify', { ...update, edit: 1 })
    .when('notify', { ...update, edit: 1 });
  assert.equal(alice.events.length, 1);
  const first = alice.state.lastNotificationId ?? '';
  const twice = alice.when('notify', { ...update, edit: 10 });
  assert.deepEqual(twice.events[1], { type: 'notificationDismissed', id: first });
  assert.equal(twice.events[2]?.type, 'notified');
  assert.equal(twice.when('notify', { ...update, edit: 9 }).events.length, 3, 'an older edit is ignored');
  assert.equal(twice.when('notify', { ...update, statusId: '6', edit: 1 }).events.length, 4);
});

test('an account is not notified of its own actions or those of blocked accounts', () => {
  assert.deepEqual(newcomer().when('notify', { ...favourite, from: self }).events, []);
  assert.deepEqual(newcomer((state) => state.blocking.set(other, '1')).when('notify', favourite).events, []);
  assert.deepEqual(newcomer((state) => state.blockedBy.add(other)).when('notify', favourite).events, []);
});

test('a notification for followers only reaches followers only', () => {
  const quote = { type: 'quote', from: other, statusId: '5', followersOnly: true };
  const following = (pending: boolean) =>
    newcomer((state) =>
      state.following.set(other, { target: other, edgeId: '1', pending, reblogs: true, notify: false, atMs: startMs }),
    );
  const told = [newcomer(), following(true), following(false)].map(
    (alice) => alice.when('notify', quote).events.length,
  );
  assert.deepEqual(told, [0, 0, 1]);
});

test('dismissing an unknown notification, a repeated dismissal and clearing nothing record nothing', () => {
  const alice = newcomer().when('notify', favourite);
  for (const id of ['999999999999999999', 'x', ''])
    assert.equal(alice.when('dismissNotification', { id }).events.length, 1);
  const id = alice.state.lastNotificationId ?? '';
  assert.equal(alice.when('dismissNotification', { id }).when('dismissNotification', { id }).events.length, 2);
  assert.deepEqual(newcomer().when('clearNotifications', {}).events, []);
});

test('the stored notifications for recognising repeats are bounded', () => {
  let alice = newcomer();
  for (let n = 0; n <= NOTICES_REMEMBERED_MAX; n++) alice = alice.when('notify', { ...favourite, statusId: `${n}` });
  assert.equal(alice.state.recentNotices.size, NOTICES_REMEMBERED_MAX);
});

test('own polls, warnings and severed follows notify the account, and reports notify moderators', () => {
  const told = (notice: { type: string; from: string }) =>
    newcomer(({ blocking }) => blocking.set(other, '1')).when('notify', { statusId: '5', ...notice }).events.length;
  for (const type of ['poll', 'moderation_warning', 'severed_relationships'])
    assert.equal(told({ type, from: self }), 1);
  for (const type of ['admin.report', 'admin.sign_up']) assert.equal(told({ type, from: other }), 1);
  assert.equal(told({ type: 'mention', from: other }), 0);
});

test('existing notifications are dismissed together, up to a limit', () => {
  const alice = newcomer().when('notify', favourite);
  const id = alice.state.lastNotificationId ?? '';
  const unknown = Array.from({ length: DISMISSED_TOGETHER_MAX }, (_, n) => `9${String(n).padStart(17, '0')}`);
  assert.deepEqual(alice.when('dismissNotifications', { ids: unknown }).events.length, 1);
  assert.deepEqual(alice.when('dismissNotifications', { ids: [...unknown, id] }).events.length, 1);
  const gone = alice.when('dismissNotifications', { ids: [id, ...unknown] });
  assert.deepEqual(gone.events.at(-1), { type: 'notificationsDismissed', ids: [id] });
  assert.equal(gone.when('notify', favourite).events.length, 3, 'the notification may be repeated');
});

test('undoing an action retracts its notification, and repeating it notifies again', () => {
  const retract = { ...favourite, sinceMs: startMs };
  const before = { ...favourite, statusId: '4' };
  const alice = newcomer().when('notify', before).when('notify', favourite).when('retractNotice', retract);
  assert.deepEqual(
    alice.events.map(({ type }) => type),
    ['notified', 'notified', 'notificationDismissed'],
  );
  assert.equal(alice.when('retractNotice', retract).events.length, 3, 'once');
  assert.equal(alice.when('notify', favourite).events.length, 4);
  assert.deepEqual(newcomer().when('retractNotice', retract).events, []);
  const other5 = { ...retract, statusId: '6' };
  assert.equal(newcomer().when('notify', favourite).when('retractNotice', other5).events.length, 1, 'another status');
});

test('a retraction of a notification that is no longer stored is left to the reactions', () => {
  let alice = newcomer().when('notify', favourite);
  for (let n = 0; n < NOTICES_REMEMBERED_MAX; n++) alice = alice.when('notify', { ...favourite, statusId: `1${n}` });
  const known = alice.events.length;
  const retract = { ...favourite, sinceMs: idMs(alice.state.recentNotices.values().next().value ?? '') };
  assert.equal(alice.when('retractNotice', retract).events.length, known);
  const older = { ...retract, sinceMs: retract.sinceMs - 1 };
  const { type, ...rest } = retract;
  const event = { ...rest, type: 'noticeRetracted', kind: type, sinceMs: older.sinceMs };
  assert.deepEqual(alice.when('retractNotice', older).events.slice(known), [event]);
});

test('enough single dismissals are swept with the next change', () => {
  let alice = newcomer();
  const ids: string[] = [];
  for (let n = 0; n < SWEPT_MIN; n++) {
    alice = alice.when('notify', { ...favourite, statusId: `${n}` });
    const id = alice.state.lastNotificationId ?? '';
    ids.push(id);
    alice = alice.when('dismissNotification', { id });
  }
  assert.equal(alice.events.length, 2 * SWEPT_MIN);
  const swept = alice.when('notify', favourite);
  assert.deepEqual(swept.events.at(-2), { type: 'notificationsSwept', ids, upToId: ids.at(-1) });
  assert.deepEqual(swept.state.unswept, []);
  assert.equal(swept.when('notify', { ...favourite, statusId: 'x' }).events.length, swept.events.length + 1);
});
