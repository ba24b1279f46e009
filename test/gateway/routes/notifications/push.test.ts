import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PUSHES_MAX } from '../../../../actors/account/push.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { PUSH_SUBSCRIPTION as subscription } from '../../../scenarios/requests/own-account-requests.js';

const PATH = '/api/v1/push/subscription';
const PLURAL = '/api/v1/push/subscriptions';
const ALERTS = ['mention', 'status', 'reblog', 'follow', 'follow_request', 'favourite', 'poll', 'update'];

let server: TestServer;
let alice: Person;
before(async () => {
  server = await TestServer.start();
  alice = await server.person('alice');
});
after(() => server?.stop());

const form = (fields: readonly (readonly [string, string])[], method = 'POST') =>
  server.send(PATH, {
    method,
    headers: { authorization: `Bearer ${alice.token}` },
    body: new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])),
  });

test('a subscription is created, read, changed and deleted, at either address', async () => {
  assert.equal((await alice.get(PATH)).status, 404);
  assert.equal((await alice.put(PATH, { policy: 'all' })).status, 404);
  const made = await alice.post(PATH, { subscription, data: { alerts: { mention: true, 'admin.report': true } } });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const { id, endpoint, alerts, policy, server_key } = made.body;
  assert.match(id, /^\d+$/);
  assert.deepEqual([endpoint, policy], [subscription.endpoint, 'all']);
  assert.deepEqual([alerts.mention, alerts['admin.report'], alerts['admin.sign_up']], [true, true, false]);
  for (const name of ALERTS) assert.equal(alerts[name], name === 'mention', name);
  assert.equal(Buffer.from(server_key, 'base64url').length, 65);
  for (const path of [PATH, PLURAL]) assert.deepEqual((await alice.get(path)).body, made.body);
  const changed = await alice.put(PLURAL, { data: { alerts: { poll: 'true' }, policy: 'follower' } });
  assert.deepEqual(
    [changed.body.alerts.poll, changed.body.alerts.mention, changed.body.policy, changed.body.id],
    [true, false, 'follower', id],
  );
  assert.equal((await alice.put(PATH, { policy: 'none' })).body.policy, 'none');
  assert.equal((await alice.get(PATH)).body.alerts.poll, true, 'what is not said stays');
  assert.deepEqual((await alice.remove(PLURAL)).body, {});
  assert.equal((await alice.get(PATH)).status, 404);
  assert.deepEqual((await alice.remove(PATH)).body, {}, 'there is none already');
});

test('a subscription belongs to a token, and forms work like JSON', async () => {
  const made = await form([
    ['subscription[endpoint]', subscription.endpoint],
    ['subscription[keys][p256dh]', `${subscription.keys.p256dh}=`],
    ['subscription[keys][auth]', `${subscription.keys.auth}==`],
    ['data[alerts][favourite]', '1'],
    ['data[alerts][admin.sign_up]', 'on'],
    ['data[policy]', 'followed'],
  ]);
  const body = (await made.json()) as { alerts: Record<string, boolean>; policy: string };
  assert.deepEqual(
    [made.status, body.alerts.favourite, body.alerts['admin.sign_up'], body.policy],
    [200, true, true, 'followed'],
  );
  const other = await server.token(alice.id, ['push']);
  assert.equal((await server.ask('GET', PATH, undefined, other)).status, 404);
  assert.equal((await server.ask('POST', PATH, { subscription }, other)).status, 200);
  assert.equal((await server.ask('DELETE', PATH, undefined, other)).status, 200);
  assert.equal((await alice.get(PATH)).body.policy, 'followed');
});

/** Returns the short form of a point, which RFC 8291 does not allow. */
function compressed(point: string): string {
  const bytes = Buffer.from(point, 'base64url');
  return Buffer.concat([Buffer.of(2 + ((bytes[64] ?? 0) & 1)), bytes.subarray(1, 33)]).toString('base64url');
}

test('only tokens with the scope, and only deliverable subscriptions, are accepted', async () => {
  assert.equal((await server.get(PATH)).status, 401);
  const narrow = await server.token(alice.id, ['read', 'write', 'follow']);
  for (const [method, body] of [['GET'], ['POST', { subscription }], ['PUT', { policy: 'all' }], ['DELETE']] as const)
    for (const path of [PATH, PLURAL]) assert.equal((await server.ask(method, path, body, narrow)).status, 403, path);
  const { keys, endpoint } = subscription;
  const offCurve = Buffer.from(keys.p256dh, 'base64url').fill(7, 40).toString('base64url');
  for (const wrong of [
    { endpoint },
    { endpoint, keys: { p256dh: keys.p256dh } },
    { endpoint: 'nowhere', keys },
    { endpoint: 'ftp://push.example/', keys },
    ...[
      ...['http://push.example/', 'https://127.0.0.1:1/', 'https://169.254.169.254/', 'https://[::1]/'],
      ...['https://[::7f00:1]/', 'https://[::ffff:10.0.0.1]/', 'https://2130706433/', 'https://localhost/'],
      ...['https://user:password@push.example/', 'https://10.1.2.3/'],
    ].map((hostile) => ({ endpoint: hostile, keys })),
    { endpoint: `https://push.example/${'x'.repeat(100_000)}`, keys },
    { endpoint, keys: { ...keys, p256dh: offCurve } },
    { endpoint, keys: { ...keys, p256dh: `${keys.p256dh.slice(0, 40)}\u{1f426}${keys.p256dh.slice(40)}` } },
    { endpoint, keys: { ...keys, p256dh: compressed(keys.p256dh) } },
    { endpoint, keys: { ...keys, p256dh: 'A'.repeat(100_000) } },
    { endpoint, keys: { ...keys, auth: `${keys.auth}!` } },
    { endpoint, keys: { ...keys, auth: `${keys.auth}AAAA` } },
    { endpoint, keys: { ...keys, p256dh: 'short' } },
    { endpoint, keys: { ...keys, auth: 'short' } },
  ])
    assert.equal((await alice.post(PATH, { subscription: wrong })).status, 422, JSON.stringify(wrong).slice(0, 500));
  assert.equal((await alice.post(PATH, { subscription, data: { policy: 'friends' } })).status, 422);
  assert.equal((await alice.put(PATH, { data: { alerts: { poll: 'perhaps' } } })).status, 422);
});

test('the instance and its applications state the same key', async () => {
  const { body } = await alice.post(PATH, { subscription });
  const { configuration } = (await server.get('/api/v2/instance')).body;
  const app = await server.ask('POST', '/api/v1/apps', { client_name: 'a', redirect_uris: 'https://a.example/' });
  assert.deepEqual([configuration.vapid.public_key, app.body.vapid_key], [body.server_key, body.server_key]);
});

test('http endpoints are accepted only within the private ranges that the operator allows', async () => {
  const open = await TestServer.start({ FEDERATION_ALLOW_CIDRS: 'loopback,10.1.0.0/16' });
  try {
    const bob = await open.person('bob');
    const statusOf = async (endpoint: string) =>
      (await bob.post(PATH, { subscription: { ...subscription, endpoint } })).status;
    for (const allowed of ['http://127.0.0.1:1/', 'http://localhost:1/', 'http://[::1]:1/', 'http://10.1.2.3/'])
      assert.equal(await statusOf(allowed), 200, allowed);
    for (const refused of ['http://push.example/', 'http://8.8.8.8/', 'http://10.2.0.1/', 'https://10.2.0.1/'])
      assert.equal(await statusOf(refused), 422, refused);
    assert.equal((await bob.get(PATH)).body.endpoint, 'http://10.1.2.3/', 'a refusal changes nothing');
  } finally {
    await open.stop();
  }
});

test('an account has a limited number of subscriptions, and the newest ones stay', async () => {
  const carol = await server.person('carol');
  const tokens: string[] = [];
  for (let index = 0; index <= PUSHES_MAX; index++) {
    const token = await server.token(carol.id, ['push']);
    tokens.push(token);
    assert.equal((await server.ask('POST', PATH, { subscription }, token)).status, 200);
  }
  const statuses = await Promise.all(
    tokens.map(async (token) => (await server.ask('GET', PATH, undefined, token)).status),
  );
  assert.deepEqual(statuses, [404, ...Array(PUSHES_MAX).fill(200)]);
});

test('a client asks for a test push to its own subscription', async () => {
  const bob = await server.person('bob');
  assert.equal((await bob.post(`${PATH}/test`)).status, 404);
  await bob.post(PATH, { subscription });
  const asked = await bob.post(`${PATH}/test`);
  assert.equal(asked.status, 200, JSON.stringify(asked.body));
  assert.match(asked.body.notification_id, /^\d+$/);
  const narrow = await server.token(bob.id, ['read', 'write', 'follow']);
  assert.equal((await server.ask('POST', `${PATH}/test`, {}, narrow)).status, 403);
});
