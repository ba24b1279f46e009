import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Alert } from '../../../actors/push/alerts.js';
import { NotificationAlerts } from '../../../gateway/notifications/alerts.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';
import { PUSH_SUBSCRIPTION as subscription } from '../../scenarios/requests/own-account-requests.js';

const PATH = '/api/v1/push/subscription';

let server: TestServer;
let alerts: NotificationAlerts;
before(async () => {
  server = await TestServer.start();
  alerts = new NotificationAlerts(server.node.services);
});
after(() => server?.stop());

/** Notifications arrive after the reply. */
const TOLD_MS_MAX = 10_000;

let named = 0;
const people = async (count = 2) =>
  Promise.all(Array.from({ length: count }, () => server.person(`person${named++}`))) as Promise<Person[]>;

/** Subscribes to all types; returns the subscription's id. */
async function subscribed(person: Person, data: object = {}): Promise<string> {
  const made = await person.post(PATH, { subscription, data: { alerts: { mention: true }, ...data } });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  return made.body.id;
}

/** Returns the newest notification of a type, once there is one. */
const told = (person: Person, type = 'mention') =>
  until(
    `a ${type}`,
    async () => {
      const { body } = await person.get(`/api/v1/notifications?types[]=${type}&include_filtered=true`);
      return body[0] as { readonly id: string } | undefined;
    },
    TOLD_MS_MAX,
  );

const alert = (to: Person, id: string, subscriptionId: string, kind = 'mention') =>
  alerts.of(to.id, subscriptionId, id, { kind, atMs: 0 });

test('an alert has the words of the notification and the token of its subscription', async () => {
  const [ada, ben] = (await people()) as [Person, Person];
  const id = await subscribed(ada);
  await ben.says(`@${ada.name} how are you?`);
  const shown = (await alert(ada, (await told(ada)).id, id)) as Alert;
  assert.deepEqual(
    [shown.title, shown.body, shown.locale, shown.accessToken, shown.subscription.endpoint],
    [`${ben.name} mentioned you`, `@${ada.name} how are you?`, 'en', ada.token, subscription.endpoint],
  );
  assert.match(shown.icon, /^http:\/\/localhost\/avatars/);
});

test('a content warning or a filter hides the text', async () => {
  const [ada, ben] = (await people()) as [Person, Person];
  const id = await subscribed(ada);
  await ben.says(`@${ada.name} the secret`, { spoiler_text: 'a film' });
  assert.equal(((await alert(ada, (await told(ada)).id, id)) as Alert).body, 'a film');
  const filter = { title: 'No football', context: ['notifications'], keywords_attributes: [{ keyword: 'goal' }] };
  const made = await ada.post('/api/v2/filters', { ...filter, filter_action: 'warn' });
  const last = (await told(ada)).id;
  await ben.says(`@${ada.name} goal!`);
  const next = await until(
    'another mention',
    async () => {
      const { id: newest } = await told(ada);
      return newest === last ? undefined : newest;
    },
    TOLD_MS_MAX,
  );
  assert.equal(((await alert(ada, next, id)) as Alert).body, 'Hidden by your filter “No football”');
  await ada.put(`/api/v2/filters/${made.body.id}`, { filter_action: 'hide' });
  assert.equal(await alert(ada, next, id), 'hidden');
});

test('a notification that the list does not show is hidden', async () => {
  for (const [name, hide] of Object.entries<
    (ada: Person, ben: Person, status: string, notice: string) => Promise<unknown>
  >({
    dismissed: (ada, _ben, _status, notice) => ada.post(`/api/v1/notifications/${notice}/dismiss`),
    cleared: (ada) => ada.post('/api/v1/notifications/clear'),
    muted: (ada, ben) => ada.post(`/api/v1/accounts/${ben.id}/mute`),
    blocked: (ada, ben) => ada.post(`/api/v1/accounts/${ben.id}/block`),
    deleted: (_ada, ben, status) => ben.remove(`/api/v1/statuses/${status}`),
    'of a type that is switched off': (ada) => ada.put(PATH, { data: { alerts: { mention: false } } }),
    'in a muted conversation': (ada, _ben, status) => ada.post(`/api/v1/statuses/${status}/mute`),
  })) {
    const [ada, ben] = (await people()) as [Person, Person];
    const id = await subscribed(ada);
    const status = await ben.says(`@${ada.name} hello`);
    const notice = (await told(ada)).id;
    assert.notEqual(await alert(ada, notice, id), 'hidden', name);
    await hide(ada, ben, status, notice);
    assert.equal(await alert(ada, notice, id), 'hidden', name);
  }
});

test('a notification that waits in the requests is hidden', async () => {
  const [ada, ben] = (await people()) as [Person, Person];
  const id = await subscribed(ada);
  await ada.put('/api/v1/notifications/policy', { filter_not_following: true });
  await ben.says(`@${ada.name} hello`);
  assert.equal(await alert(ada, (await told(ada)).id, id), 'hidden');
});

test('the policy of the subscription selects the senders', async () => {
  const [ada, friend, fan, stranger] = (await people(4)) as [Person, Person, Person, Person];
  await ada.follows(friend);
  await fan.follows(ada);
  await told(ada, 'follow');
  const notices: Record<string, string> = {};
  for (const [name, one] of Object.entries({ friend, fan, stranger })) {
    await one.says(`@${ada.name} hello`);
    notices[name] = await until(
      `a mention by ${name}`,
      async () => {
        const { body } = await ada.get(`/api/v1/notifications?types[]=mention&account_id=${one.id}`);
        return body[0]?.id as string | undefined;
      },
      TOLD_MS_MAX,
    );
  }
  const hearing: Readonly<Record<string, readonly string[]>> = {
    all: ['friend', 'fan', 'stranger'],
    followed: ['friend'],
    follower: ['fan'],
    none: [],
  };
  for (const [policy, heard] of Object.entries(hearing)) {
    const id = await subscribed(ada, { policy });
    for (const name of ['friend', 'fan', 'stranger']) {
      const shown = await alert(ada, notices[name] ?? '', id);
      assert.equal(shown !== 'hidden', heard.includes(name), `${policy}: ${name}`);
    }
  }
});

test('pushes stop with the subscription, its token, and an owner who is shut out', async () => {
  const chief = await server.staff('chief', 'admin');
  const stops: Readonly<Record<string, (ada: Person) => Promise<unknown>>> = {
    unsubscribed: (ada) => ada.remove(PATH),
    replaced: (ada) => subscribed(ada),
    'revoked token': (ada) => server.node.services.askAccount(ada.id, 'changePassword', { passwordHash: 'another' }),
    disabled: (ada) => chief.post(`/api/v1/admin/accounts/${ada.id}/action`, { type: 'disable' }),
    suspended: (ada) => chief.post(`/api/v1/admin/accounts/${ada.id}/action`, { type: 'suspend' }),
  };
  for (const [name, stop] of Object.entries(stops)) {
    const [ada, ben] = (await people()) as [Person, Person];
    const id = await subscribed(ada);
    await ben.says(`@${ada.name} hello`);
    const notice = (await told(ada)).id;
    assert.notEqual(await alert(ada, notice, id), 'stopped', name);
    await stop(ada);
    assert.equal(await alert(ada, notice, id), 'stopped', name);
  }
});

test('a test push is in the owner’s language', async () => {
  const [ada] = (await people(1)) as [Person];
  const id = await subscribed(ada);
  const shown = (await alert(ada, '1', id, 'test')) as Alert;
  assert.deepEqual([shown.title, shown.accessToken], ['Notifications work', ada.token]);
});
