import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operatorClient } from '../../../cli/operator-socket.js';
import { freePort } from '../../../cluster/local/process.js';
import { notificationIn, PushReceiver, type ReceivedPush } from '../../kit/network/push-receiver.js';
import { ServerProcess } from '../../kit/services/server-process.js';
import { until } from '../../kit/time/until.js';
import { call, makePeople, type Person } from '../cluster/people.js';

const PATH = '/api/v1/push/subscription';
/** Timeout of a push that nothing hinders. */
const SOON_MS_MAX = 20_000;
/** Timeout of a push after an outage: the pause after some failures, and the interval of reads of alarms. */
const LATER_MS_MAX = 240_000;

let server: ServerProcess;
let metricsUrl: string;
const receivers: PushReceiver[] = [];
before(async () => {
  const metrics = `127.0.0.1:${await freePort('127.0.0.1')}`;
  metricsUrl = `http://${metrics}/metrics`;
  server = await ServerProcess.start({
    ...{ FEDERATION_ALLOW_CIDRS: '127.0.0.0/8', METRICS_LISTEN: metrics, LOG_LEVEL: 'warn' },
  });
});
after(async () => {
  await server?.dispose();
  await Promise.all(receivers.map((one) => one.close()));
});

/** Opens a push service of its own address, so that its state concerns no other test. */
async function service(): Promise<PushReceiver> {
  const opened = await PushReceiver.open();
  receivers.push(opened);
  return opened;
}

const people = (...names: string[]) => makePeople(server.dataDir, names);

/** Returns the person with another token, as on another device. */
async function device(person: Person): Promise<Person> {
  const wanted = { username: person.name, scopes: 'read write follow push' };
  return { ...person, token: (await operatorClient(server.dataDir)('token.create', wanted)).token };
}

/** Subscribes a device at a push service; returns the endpoint. */
async function subscribe(person: Person, at: PushReceiver, standard = true): Promise<string> {
  const subscription = at.subscription(standard);
  const alerts = { mention: true, follow: true, favourite: true };
  await call(server.url, person, 'POST', PATH, { subscription, data: { alerts } });
  return subscription.endpoint;
}

const says = (author: Person, status: string) =>
  call(server.url, author, 'POST', '/api/v1/statuses', { status }) as Promise<{ readonly id: string }>;

const bodies = (pushes: readonly ReceivedPush[]) => pushes.map(({ text }) => JSON.parse(text).body as string).sort();

test('a notification arrives encrypted at every device, with the token of the device', async () => {
  const [ada, ben] = (await people('ada', 'ben')) as [Person, Person];
  const at = await service();
  const tablet = await device(ada);
  const endpoints = [await subscribe(ada, at), await subscribe(tablet, at, false)];
  await says(ben, '@ada how are you?');
  const arrived = await Promise.all(endpoints.map((endpoint) => at.arrived(endpoint, 1, SOON_MS_MAX)));
  for (const [index, { token }] of [ada, tablet].entries()) {
    const [push] = arrived[index] as [ReceivedPush];
    assert.deepEqual(
      [push.encoding, push.urgency, push.topic.length],
      [index === 0 ? 'aes128gcm' : 'aesgcm', 'high', 32],
    );
    const shown = JSON.parse(push.text);
    assert.deepEqual(
      [shown.title, shown.body, shown.notification_type, shown.access_token, shown.preferred_locale],
      ['ben mentioned you', '@ada how are you?', 'mention', token, 'en'],
    );
    const path = `/api/v1/notifications/${notificationIn(push)}`;
    const notification = await call(server.url, { ...ada, token: shown.access_token }, 'GET', path);
    assert.equal((notification as { type: string }).type, 'mention');
  }
  await call(server.url, tablet, 'POST', `${PATH}/test`);
  const test = (await at.arrived(endpoints[1] as string, 2, SOON_MS_MAX))[1] as ReceivedPush;
  assert.equal(JSON.parse(test.text).notification_type, 'test');
  assert.deepEqual(at.complaints, []);
  const metrics = await (await fetch(metricsUrl)).text();
  assert.match(metrics, /^murmuration_push_sent 3$/m);
  assert.match(metrics, /^murmuration_push_oldest_seconds 0$/m);
});

test('a push service that hangs delays no other device', async () => {
  const [cleo, dan] = (await people('cleo', 'dan')) as [Person, Person];
  const [hanging, quick] = [await service(), await service()];
  const phone = await device(cleo);
  const hung = await subscribe(cleo, hanging);
  const endpoint = await subscribe(phone, quick);
  hanging.answer('hang', hung);
  for (let number = 0; number < 5; number++) await says(dan, `@cleo ${number}`);
  // A request to the other service ends after ten seconds, so nothing can have waited for it.
  await quick.arrived(endpoint, 5, 8_000);
  assert.deepEqual(hanging.received, []);
});

test('pushes that wait for a failing service outlive kill -9 and then arrive once', async () => {
  const [eve, fay] = (await people('eve', 'fay')) as [Person, Person];
  const at = await service();
  const phone = await device(eve);
  const endpoints = [await subscribe(eve, at), await subscribe(phone, at)];
  for (const endpoint of endpoints) at.answer({ status: 503 }, endpoint);
  const texts = Array.from({ length: 12 }, (_, number) => `@eve ${number}`);
  for (const text of texts.slice(0, 6)) await says(fay, text);
  await until('the first attempts', () => at.asked.length >= 2 || undefined, SOON_MS_MAX);
  for (const text of texts.slice(6)) await says(fay, text);
  await server.kill();
  await server.restart();
  for (const endpoint of endpoints) at.answer({ status: 201 }, endpoint);
  for (const endpoint of endpoints) {
    await until('all pushes', () => new Set(bodies(at.of(endpoint))).size === texts.length || undefined, LATER_MS_MAX);
    assert.deepEqual(bodies(at.fetch(endpoint)), [...texts].sort());
  }
  assert.deepEqual(at.complaints, []);
});

test('waiting pushes stop with the end of their subscription, and those about blocked accounts', async () => {
  const [gus, hal, ivy] = (await people('gus', 'hal', 'ivy')) as [Person, Person, Person];
  const at = await service();
  const phone = await device(gus);
  const [kept, ended] = [await subscribe(gus, at), await subscribe(phone, at)];
  for (const endpoint of [kept, ended]) at.answer({ status: 503 }, endpoint);
  await says(hal, '@gus unwanted');
  await says(ivy, '@gus wanted');
  await until(
    'attempts at both',
    () => new Set(at.asked.map(({ endpoint }) => endpoint)).size === 2 || undefined,
    SOON_MS_MAX,
  );
  await call(server.url, gus, 'POST', `/api/v1/accounts/${hal.id}/block`);
  await call(server.url, phone, 'DELETE', PATH);
  for (const endpoint of [kept, ended]) at.answer({ status: 201 }, endpoint);
  await at.arrived(kept, 1, LATER_MS_MAX);
  await says(ivy, '@gus again');
  await at.arrived(kept, 2, LATER_MS_MAX);
  assert.deepEqual(bodies(at.of(kept)), ['@gus again', '@gus wanted']);
  assert.deepEqual(at.of(ended), []);
});

test('a subscription that the push service has ended is removed', async () => {
  const [joe, kim] = (await people('joe', 'kim')) as [Person, Person];
  const at = await service();
  const endpoint = await subscribe(joe, at);
  at.answer({ status: 410 }, endpoint);
  await says(kim, '@joe hello');
  await until(
    'the end of the subscription',
    async () => {
      const headers = { authorization: `Bearer ${joe.token}` };
      return (await fetch(`${server.url}${PATH}`, { headers })).status === 404 || undefined;
    },
    SOON_MS_MAX,
  );
  assert.equal(at.asked.length, 1);
});
