import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProblem } from '../../../../actors/domain/problem.js';
import { town } from '../town.js';

const token = (tokenHash: string) => ({ tokenHash, clientId: 'app', scopes: ['push'], kind: 'access' });
const place = (tokenHash: string, more: object) => ({
  ...{ tokenHash, endpoint: 'https://push.example/1', p256dh: 'p', auth: 'a' },
  ...{ standard: true, alerts: ['mention'], policy: 'all', ...more },
});

/** Returns a town in which bob has these subscriptions, by token, and the ids of the subscriptions. */
async function townWith(subscriptions: Readonly<Record<string, object>>) {
  const here = await town(['alice', 'bob']);
  const bob = here.id('bob');
  const ids: Record<string, string> = {};
  for (const [name, more] of Object.entries(subscriptions)) {
    await here.account(bob, 'issueToken', token(name));
    const made = await here.account(bob, 'subscribePush', place(name, more));
    assert.ok(!isProblem(made));
    ids[name] = made.id;
  }
  const notify = (type: string, statusId: string) =>
    here.account(bob, 'notify', { type, from: here.id('alice'), statusId });
  return { here, bob, ids, notify };
}

test('a notification is pushed to each subscription that wants its type', async () => {
  const { here, bob, ids, notify } = await townWith({
    phone: {},
    tablet: { alerts: ['mention', 'favourite'], policy: 'followed' },
    silent: { policy: 'none' },
  });
  await notify('mention', '1');
  await notify('favourite', '2');
  await notify('reblog', '3');
  const of = (name: string, kind: string) => ({ account: bob, subscription: ids[name], kind });
  assert.deepEqual(here.pushed, [of('phone', 'mention'), of('tablet', 'mention'), of('tablet', 'favourite')]);
  here.stage.close();
});

test('a notification that is filtered into the requests is not pushed', async () => {
  const { here, bob, notify } = await townWith({ phone: {} });
  await here.account(bob, 'setNotificationPolicy', { notFollowing: 'filter' });
  await notify('mention', '1');
  await here.account(bob, 'setNotificationPolicy', { notFollowing: 'drop' });
  await notify('mention', '2');
  await here.account(bob, 'setNotificationPolicy', { notFollowing: 'accept' });
  await here.account(bob, 'muteConversation', { conversationId: '77' });
  await here.account(bob, 'notify', { type: 'mention', from: here.id('alice'), statusId: '3', conversationId: '77' });
  assert.deepEqual(here.pushed, []);
  here.stage.close();
});

test('no push follows after the end of a subscription or its token', async () => {
  const { here, bob, ids, notify } = await townWith({ phone: {}, tablet: {} });
  await here.account(bob, 'unsubscribePush', { tokenHash: 'phone' });
  await here.account(bob, 'revokeToken', { tokenHash: 'tablet' });
  await notify('mention', '1');
  assert.deepEqual(here.pushed, []);
  assert.equal(
    ((await here.account(bob, 'pushTarget', { id: ids.phone ?? '', notificationId: '1' })) as { problem?: string })
      .problem,
    'not_found',
  );
  here.stage.close();
});

test('a push service that has ended a subscription removes it, once', async () => {
  const { here, bob, ids } = await townWith({ phone: {}, tablet: {} });
  for (const _ of [1, 2]) await here.account(bob, 'pushGone', { id: ids.phone ?? '' });
  assert.ok(isProblem(await here.account(bob, 'pushSubscription', { tokenHash: 'phone' })));
  assert.ok(!isProblem(await here.account(bob, 'pushSubscription', { tokenHash: 'tablet' })));
  here.stage.close();
});

test('a test push goes to the subscription of its token alone', async () => {
  const { here, bob, ids } = await townWith({ phone: { policy: 'none', alerts: [] }, tablet: {} });
  await here.account(bob, 'testPush', { tokenHash: 'phone' });
  assert.deepEqual(here.pushed, [{ account: bob, subscription: ids.phone, kind: 'test' }]);
  assert.ok(isProblem(await here.account(bob, 'testPush', { tokenHash: 'unknown' })));
  here.stage.close();
});
