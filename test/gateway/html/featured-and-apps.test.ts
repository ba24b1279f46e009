import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { issueToken } from '../../../gateway/oauth/tokens.js';
import { Visitor } from '../../kit/network/visitor.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';
import { makeUser, PASSWORD } from '../oauth/stage.js';

const FEATURED = '/settings/featured';
const APPS = '/settings/applications';
const SUGGESTIONS = '/settings/suggestions';
const SESSIONS = '/auth/sessions';

let server: TestServer;
let alice: Visitor;
let id: string;
let token: string;
let bob: Person;
before(async () => {
  server = await TestServer.start();
  id = await makeUser(server, 'alice');
  token = await server.token(id, ['read', 'write', 'follow', 'push']);
  bob = await server.person('bob');
  alice = new Visitor(server, { accept: 'text/html' });
  await alice.get('/auth/sign_in');
  await alice.submit('/auth/sign_in', { login: 'alice', password: PASSWORD });
});
after(() => server?.stop());

const api = async (method: string, path: string, body?: object) => (await server.ask(method, path, body, token)).body;

test('a person features hashtags and takes them back', async () => {
  await alice.get(FEATURED);
  assert.equal((await alice.submit(`${FEATURED}/tags`, { name: '#Birds' })).location, FEATURED);
  const [tag] = await api('GET', '/api/v1/featured_tags');
  assert.equal(tag.name, 'birds');
  assert.match((await alice.get(FEATURED)).text, /href="\/tags\/birds">#birds/);
  const refused = await alice.submit(`${FEATURED}/tags`, { name: '<b>' });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /value="&lt;b>".*id="name-wrong" role="alert">[^<]+/s);
  assert.equal((await alice.submit(`${FEATURED}/tags/${tag.id}/remove`, {})).location, FEATURED);
  assert.deepEqual(await api('GET', '/api/v1/featured_tags'), []);
  await alice.get(FEATURED);
  const csrf = alice.hidden(`${FEATURED}/tags`);
  assert.equal((await alice.post(`${FEATURED}/tags/1/remove`, csrf)).status, 404);
});

test('a person features people whom they follow, and takes them back', async () => {
  await alice.get(FEATURED);
  for (const [acct, message] of [
    ['nobody@localhost', /There is no such person here/],
    ['bob', /id="acct-wrong" role="alert">[^<]+/],
  ] as const) {
    const refused = await alice.submit(`${FEATURED}/people`, { acct });
    assert.equal(refused.status, 422, acct);
    assert.match(refused.text, message);
  }
  await api('POST', `/api/v1/accounts/${bob.id}/follow`);
  assert.equal((await alice.submit(`${FEATURED}/people`, { acct: '@bob@localhost' })).location, FEATURED);
  assert.match((await alice.get(FEATURED)).text, /class="people".*@bob/s);
  assert.equal((await alice.submit(`${FEATURED}/people/${bob.id}/remove`, {})).location, FEATURED);
  assert.deepEqual(await api('GET', '/api/v1/endorsements'), []);
});

test('a person follows suggested people, or ends a suggestion', async () => {
  const names = ['fay', 'gus'];
  const people = await Promise.all(names.map((name) => server.person(name)));
  for (const one of people) {
    await server.ask('PATCH', '/api/v1/accounts/update_credentials', { discoverable: true }, one.token);
    await one.says('hello');
  }
  const [fay, gus] = people as [Person, Person];
  await until(
    'they are suggested',
    async () => /@fay.*@gus|@gus.*@fay/s.test((await alice.get(SUGGESTIONS)).text),
    30_000,
  );
  assert.equal((await alice.submit(`/settings/suggestions/${fay.id}/follow`, {})).location, SUGGESTIONS);
  const [relation] = await api('GET', `/api/v1/accounts/relationships?id[]=${fay.id}`);
  assert.equal(relation.following, true);
  const verb = 'dismiss';
  await alice.get(SUGGESTIONS);
  const csrf = alice.hidden(`/settings/suggestions/${gus.id}/dismiss`);
  for (const one of ['follow', 'dismiss'])
    assert.equal((await alice.post(`/settings/suggestions/1/${one}`, csrf)).status, 404);
  await alice.get(SUGGESTIONS);
  assert.equal((await alice.submit(`/settings/suggestions/${gus.id}/${verb}`, {})).location, SUGGESTIONS);
  assert.doesNotMatch((await alice.get(SUGGESTIONS)).text, /@gus/);
});

const APP = { client_name: 'My <bot>', website: '', redirect_uris: 'https://bot.example/back', scopes: 'read' };

test('a person registers an application, whose secret is shown once, renewed and deleted', async () => {
  await alice.get(APPS);
  const made = await alice.submit(APPS, APP);
  assert.equal(made.status, 200);
  assert.match(made.headers.get('cache-control') ?? '', /no-store/);
  const [, secret = ''] = /Client secret: <code>([\w-]{43})</.exec(made.text) ?? [];
  const { client = '' } = alice.hidden(`${APPS}/delete`);
  assert.match(made.text, /My &lt;bot>/);
  const grant = (client_secret: string) =>
    server.ask('POST', '/oauth/token', { grant_type: 'client_credentials', client_id: client, client_secret });
  assert.equal((await grant(secret)).status, 200);
  assert.doesNotMatch((await alice.get(APPS)).text, new RegExp(secret));
  const renewed = (await alice.submit(`${APPS}/secret`, {})).text;
  const [, next = ''] = /Client secret: <code>([\w-]{43})</.exec(renewed) ?? [];
  assert.deepEqual([(await grant(secret)).status, (await grant(next)).status], [401, 200]);
  assert.equal((await alice.submit(`${APPS}/secret`, { client: 'x'.repeat(43) })).status, 404);
  await alice.get(APPS);
  assert.equal((await alice.submit(`${APPS}/delete`, {})).location, APPS);
  assert.equal((await grant(next)).status, 401);
  assert.match((await alice.get(APPS)).text, /You have no applications/);
});

test('tokens of a deleted application are refused, also those of other people', async () => {
  await alice.get(APPS);
  const [, secret = ''] = /Client secret: <code>([\w-]{43})</.exec((await alice.submit(APPS, APP)).text) ?? [];
  const { client = '' } = alice.hidden(`${APPS}/delete`);
  const grant = { grant_type: 'client_credentials', client_id: client, client_secret: secret };
  const own: string = (await server.ask('POST', '/oauth/token', grant)).body.access_token;
  const { services } = server.node;
  const issued = (person: string) => issueToken(services, person, client, ['read'], 'access') as Promise<string>;
  const given = [await issued(id), await issued(bob.id), bob.token];
  const answerTo = async (path: string, bearer: string) => (await server.ask('GET', path, undefined, bearer)).status;
  const answers = () => Promise.all(given.map((one) => answerTo('/api/v1/accounts/verify_credentials', one)));
  assert.deepEqual(
    [await answerTo('/api/v1/apps/verify_credentials', own), ...(await answers())],
    [200, 200, 200, 200],
  );
  assert.equal((await alice.submit(`${APPS}/delete`, {})).location, APPS);
  assert.equal(await answerTo('/api/v1/apps/verify_credentials', own), 401);
  await until('tokens of people are refused', async () => (await answers()).join() === '401,401,200', 30_000);
});

test('an application with a wrong field is refused with what was typed', async () => {
  for (const wrong of [
    { client_name: ' ' },
    { client_name: 'x'.repeat(61) },
    { redirect_uris: 'javascript:alert(1)' },
    { scopes: 'everything' },
    { website: 'ftp://bot.example' },
  ]) {
    await alice.get(APPS);
    const refused = await alice.submit(APPS, { ...APP, redirect_uris: 'https://kept.example', ...wrong });
    assert.equal(refused.status, 422, JSON.stringify(wrong));
    assert.match(refused.text, /class="fault" role="alert">[^<]+.*name="scopes"/s);
  }
  assert.match((await alice.get(APPS)).text, /You have no applications/);
});

test('a test push goes to an application that has subscribed', async () => {
  assert.match((await alice.get(SESSIONS)).text, /Send a test push/);
  const none = await alice.submit(`${SESSIONS}/push`, {});
  assert.equal(none.location, `${SESSIONS}?pushed=false`);
  assert.match((await alice.get(none.location ?? '')).text, /has not subscribed/);
  const keys = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
  const subscription = { endpoint: 'https://push.example/device', keys };
  await api('POST', '/api/v1/push/subscription', { subscription });
  await alice.get(SESSIONS);
  const sent = await alice.submit(`${SESSIONS}/push`, {});
  assert.equal(sent.location, `${SESSIONS}?pushed=true`);
  assert.match((await alice.get(sent.location ?? '')).text, /The test push is on its way/);
});

test('strangers and forged forms get nothing and change nothing', async () => {
  const csrf = 'x'.repeat(43);
  for (const [path, fields] of [
    [`${FEATURED}/tags`, { name: 'birds' }],
    [`/settings/suggestions/${bob.id}/follow`, {}],
    [`${FEATURED}/people`, { acct: 'bob' }],
    [APPS, APP],
    [`${APPS}/secret`, { client: 'x' }],
    [`${APPS}/delete`, { client: 'x' }],
    [`${SESSIONS}/push`, { token: 'x' }],
  ] as const)
    assert.equal((await alice.post(path, { ...fields, csrf } as Record<string, string>)).status, 403, path);
  for (const path of [FEATURED, APPS, SUGGESTIONS])
    assert.match((await new Visitor(server).get(path)).location ?? '', /^\/auth\/sign_in\?return_to=/);
});
