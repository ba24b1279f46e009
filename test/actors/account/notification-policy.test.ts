import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NEW_ACCOUNT_MS, PERMITTED_MAX, REQUESTS_MAX } from '../../../actors/account/notification-policy.js';
import type { AccountState } from '../../../actors/account/slices.js';
import { newcomer, other, startMs } from './newcomer.js';

const mention = { type: 'mention', from: other, statusId: '7' };
const edge = { target: other, edgeId: '3', pending: false, reblogs: true, notify: false, atMs: 1 };
const oldEnough = { nowMs: startMs + NEW_ACCOUNT_MS };

/** Returns the reception of a mention under the policy. */
function under(
  policy: Partial<AccountState['policy']>,
  { change = (_: AccountState): void => undefined, notice = mention as object, at = oldEnough } = {},
): string {
  const alice = newcomer(change).when('setNotificationPolicy', policy);
  const before = alice.events.length;
  const told = alice.when('notify', { ...mention, ...notice }, at).events.slice(before);
  const [event] = told as unknown as { filtered?: boolean }[];
  return event === undefined ? 'drop' : event.filtered === true ? 'filter' : 'accept';
}

const followed = (state: AccountState) => void state.following.set(other, edge);
const follower = (state: AccountState) => void state.recentFollowers.set(other, '3');

test('each rule applies to its senders, and the strictest wins', () => {
  for (const way of ['filter', 'drop']) {
    assert.equal(under({ notFollowing: way }), way);
    assert.equal(under({ notFollowing: way }, { change: followed }), 'accept');
    assert.equal(under({ notFollowers: way }), way);
    assert.equal(under({ notFollowers: way }, { change: followed }), way);
    assert.equal(under({ notFollowers: way }, { change: follower }), 'accept');
    assert.equal(under({ newAccounts: way }), 'accept');
    assert.equal(under({ newAccounts: way }, { at: { nowMs: startMs + NEW_ACCOUNT_MS - 1 } }), way);
    assert.equal(under({ privateMentions: way }), 'accept');
    assert.equal(under({ privateMentions: way }, { notice: { direct: true } }), way);
    assert.equal(under({ privateMentions: way }, { notice: { direct: true, answers: true } }), 'accept');
    assert.equal(under({ privateMentions: way }, { notice: { direct: true }, change: followed }), 'accept');
  }
  assert.equal(under({ notFollowing: 'filter', notFollowers: 'drop' }), 'drop');
  assert.equal(under({}, { notice: { direct: true } }), 'filter', 'the default of Mastodon');
});

test('notifications that cannot be sent in large numbers are never filtered', () => {
  const severe = { notFollowing: 'drop', notFollowers: 'drop' };
  for (const type of ['poll', 'update', 'admin.report']) assert.equal(under(severe, { notice: { type } }), 'accept');
});

test('a policy is recorded once, and an unknown one is refused', () => {
  const alice = newcomer().when('setNotificationPolicy', { notFollowing: 'drop' });
  assert.equal(alice.when('setNotificationPolicy', { notFollowing: 'drop' }).events.length, 1);
  assert.equal(alice.when('setNotificationPolicy', { notFollowing: 'burn' }).lastProblem?.problem, 'invalid');
});

const waiting = () => newcomer().when('setNotificationPolicy', { notFollowing: 'filter' });

test('filtered notifications are counted by account, with the last status, until the account is accepted', () => {
  const alice = waiting()
    .when('notify', mention)
    .when('notify', { ...mention, statusId: '8' })
    .when('notify', { type: 'follow', from: other });
  const [request] = [...alice.state.waiting.values()];
  assert.deepEqual([request?.from, request?.count, request?.lastStatusId], [other, 3, '8']);
  const id = request?.id ?? '';
  assert.deepEqual(alice.when('notificationPolicy', {}).reply, {
    policy: alice.state.policy,
    requests: 1,
    notifications: 3,
  });
  const admitted = alice.when('acceptNotificationRequests', { ids: [id, id, '1'] });
  assert.deepEqual(admitted.events.at(-1), {
    type: 'notificationRequestsAccepted',
    settled: [{ from: other, sinceId: id }],
  });
  const next = admitted.when('notify', { ...mention, statusId: '9' }).events.at(-1);
  assert.equal(next?.type === 'notified' && next.filtered, undefined);
  assert.equal(admitted.when('notificationRequest', { ids: [id] }).lastProblem?.problem, 'not_found');
});

test('a dismissed request starts anew, and settling an unknown one records nothing', () => {
  const alice = waiting().when('notify', mention);
  const id = [...alice.state.waiting.values()][0]?.id ?? '';
  const gone = alice.when('dismissNotificationRequests', { ids: [id] });
  assert.equal(gone.state.waiting.size, 0);
  assert.equal(gone.when('notify', { ...mention, statusId: '9' }).state.waiting.size, 1);
  const count = gone.events.length;
  assert.equal(gone.when('dismissNotificationRequests', { ids: ['1'] }).events.length, count);
  assert.equal(gone.when('acceptNotificationRequests', { ids: ['1'] }).events.length, count);
});

test('requests and permissions are bounded', () => {
  let alice = waiting();
  for (let n = 0; n <= REQUESTS_MAX; n++) alice = alice.when('notify', { ...mention, from: `1${n}`.padStart(18, '0') });
  assert.equal(alice.state.waiting.size, REQUESTS_MAX);
  for (let n = 0; n < PERMITTED_MAX; n++) alice.state.permitted.add(`${n}`);
  const ids = [[...alice.state.waiting.values()][0]?.id ?? ''];
  assert.equal(alice.when('acceptNotificationRequests', { ids }).state.permitted.size, PERMITTED_MAX);
});

test('a silenced account’s notifications are received as the policy, a permission or a follow says', () => {
  const notice = { limited: true };
  assert.equal(under({}, { notice }), 'filter', 'the default of Mastodon');
  for (const way of ['accept', 'filter', 'drop']) assert.equal(under({ limitedAccounts: way }, { notice }), way);
  assert.equal(under({ limitedAccounts: 'drop' }, { notice, change: followed }), 'accept');
  const permit = ({ permitted }: AccountState) => void permitted.add(other);
  assert.equal(under({ limitedAccounts: 'drop' }, { notice, change: permit }), 'accept');
  assert.equal(under({ limitedAccounts: 'drop' }, { notice: { ...notice, type: 'update' } }), 'accept');
});

test('requests of accounts that were muted or blocked since are not counted', () => {
  const counts = (change: (state: AccountState) => void) => {
    const alice = waiting().when('notify', mention);
    change(alice.state as AccountState);
    const { requests, notifications } = alice.when('notificationPolicy', {}).reply as Record<string, number>;
    return [requests, notifications];
  };
  const mute = (notifications: boolean, untilMs = 0) => {
    return ({ muting }: AccountState) => void muting.set(other, { edgeId: '5', notifications, untilMs });
  };
  assert.deepEqual(
    counts(() => undefined),
    [1, 1],
  );
  assert.deepEqual(counts(mute(true)), [0, 0]);
  assert.deepEqual(counts(mute(false)), [1, 1]);
  assert.deepEqual(counts(mute(true, startMs - 1)), [1, 1], 'an expired mute');
  assert.deepEqual(
    counts(({ blockedBy }) => void blockedBy.add(other)),
    [0, 0],
  );
});

test('a retracted or dismissed notification leaves its request, and a settled one is not counted twice', () => {
  const favourite = { type: 'favourite', from: other, statusId: '7' };
  const undone = { ...favourite, sinceMs: 0 };
  const alice = waiting().when('notify', favourite).when('notify', mention);
  const [before] = [...alice.state.waiting.values()];
  assert.equal(before?.count, 2);
  const one = alice.when('retractNotice', undone);
  assert.equal(one.state.waiting.get(other)?.count, 1);
  assert.equal(one.when('retractNotice', undone).state.waiting.get(other)?.count, 1);
  const last = one.events.findLast(({ type }) => type === 'notified') as unknown as { readonly id: string };
  assert.equal(one.when('dismissNotification', { id: last.id }).state.waiting.size, 0);
  const settled = alice.when('dismissNotificationRequests', { ids: [before?.id ?? ''] });
  const anew = settled.when('notify', { ...mention, statusId: '9' });
  assert.equal(anew.when('retractNotice', undone).state.waiting.get(other)?.count, 1);
});
