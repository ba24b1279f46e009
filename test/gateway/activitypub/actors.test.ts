import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { after, before, test } from 'node:test';
import { accountKeys } from '../../../store/federation-tables.js';
import { journal } from '../../../store/tables.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { bytesOfFolder, placesOf } from '../../kit/services/stored-bytes.js';

const BASE = 'https://social.example';
let server: TestServer;
before(async () => {
  server = await TestServer.start({ BASE_URL: BASE, DOMAIN: 'example' });
});
after(() => server?.stop());

const TYPE = 'application/activity+json';
const fetched = (path: string, accept = TYPE) => server.ask('GET', path, undefined, undefined, { accept });
const moderate = (person: Person, action: string) =>
  server.node.services.askAccount(person.id, 'moderate', { action, by: '', text: '', mail: false });

test('a person is an actor with addresses, texts as HTML, fields and a key', async () => {
  const ann = await server.person('ann');
  const changes = {
    display_name: 'Ann ☃',
    note: 'I like #birds <b>',
    locked: true,
    bot: true,
    discoverable: true,
    fields_attributes: [{ name: 'site', value: 'https://ann.example' }],
  };
  await server.ask('PATCH', '/api/v1/accounts/update_credentials', changes, ann.token);
  const { status, headers, body } = await fetched(`/users/${ann.name}`);
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), `${TYPE}; charset=utf-8`);
  assert.match(headers.get('vary') ?? '', /Accept/);
  const id = `${BASE}/users/ann`;
  const { publicKey, summary, attachment, ...rest } = body;
  assert.equal(rest['@context'][0], 'https://www.w3.org/ns/activitystreams');
  const { type, preferredUsername, name, url, inbox, outbox, followers, following, featured, endpoints } = rest;
  assert.deepEqual(
    { id: rest.id, type, preferredUsername, name, url, inbox, outbox, followers, following, featured, endpoints },
    {
      id,
      type: 'Service',
      preferredUsername: 'ann',
      name: 'Ann ☃',
      url: `${BASE}/@ann`,
      inbox: `${id}/inbox`,
      outbox: `${id}/outbox`,
      followers: `${id}/followers`,
      following: `${id}/following`,
      featured: `${id}/collections/featured`,
      endpoints: { sharedInbox: `${BASE}/inbox` },
    },
  );
  assert.deepEqual([rest.manuallyApprovesFollowers, rest.discoverable, rest.indexable], [true, true, false]);
  assert.match(rest.published, /^\d{4}-\d\d-\d\dT00:00:00Z$/, 'the day of signing up, not the moment');
  assert.match(summary, /<a href="https:\/\/social\.example\/tags\/birds"/);
  assert.match(summary, /&lt;b&gt;/);
  assert.deepEqual([attachment[0].type, attachment[0].name], ['PropertyValue', 'site']);
  assert.match(attachment[0].value, /href="https:\/\/ann\.example"/);
  assert.deepEqual([publicKey.id, publicKey.owner], [`${id}#main-key`, id]);
  assert.equal(createPublicKey(publicKey.publicKeyPem).asymmetricKeyType, 'rsa');
  assert.deepEqual((await fetched(`/@${ann.name}`)).body, body, 'the page serves the same document');
  assert.deepEqual((await fetched('/users/ANN')).body, body, 'names have no case');
});

test('a client gets the document unless it prefers a page', async () => {
  await server.person('accepting');
  for (const accept of [
    TYPE,
    'application/ld+json; profile="https://www.w3.org/ns/activitystreams"',
    'application/json',
    '*/*',
    `text/html;q=0.5, ${TYPE}`,
  ])
    assert.equal((await fetched('/users/accepting', accept)).status, 200, accept);
  for (const accept of ['text/html', `text/html, ${TYPE};q=0.9`, 'text/html,application/xhtml+xml,*/*;q=0.8'])
    assert.equal((await fetched('/users/accepting', accept)).status, 302, accept);
});

test('nobody is found under unknown, impossible and overlong names', async () => {
  for (const name of ['nobody', 'a%00b', 'a%2fb', 'x'.repeat(5_000), 'ann@elsewhere.example', '%f0%28']) {
    const { status } = await fetched(`/users/${name}`);
    assert.ok(status === 404 || status === 400 || status === 431, `${name.slice(0, 20)}: ${status}`);
  }
});

test('a suspended person keeps the identity only, and a deleted person is gone', async () => {
  const [eve, chief] = [await server.person('eve'), await server.staff('chief', 'admin')];
  await server.ask('PATCH', '/api/v1/accounts/update_credentials', { display_name: 'Eve', note: 'spam' }, eve.token);
  const open = (await fetched('/users/eve')).body;
  await moderate(eve, 'suspend');
  const { body } = await fetched('/users/eve');
  assert.deepEqual([body.suspended, body.name, body.summary, body.attachment], [true, '', '', []]);
  assert.deepEqual([body.id, body.publicKey, body.inbox], [open.id, open.publicKey, open.inbox]);
  assert.equal((await chief.remove(`/api/v1/admin/accounts/${eve.id}`)).status, 200);
  for (const path of ['/users/eve', '/@eve', '/users/eve/outbox', '/users/eve/followers'])
    assert.equal((await fetched(path)).status, 410, path);
});

test('the instance is an actor whose document every client gets', async () => {
  const { status, body } = await fetched('/actor', '*/*');
  assert.equal(status, 200);
  assert.deepEqual([body.id, body.type, body.preferredUsername], [`${BASE}/actor`, 'Application', 'example']);
  assert.equal(body.publicKey.id, `${BASE}/actor#main-key`);
});

test('private keys are in their table only: in no journal', async () => {
  const fay = await server.person('fay');
  await fetched('/users/fay');
  const stored = await server.node.services.tables.get(accountKeys, { owner: fay.id });
  const secret = (stored?.privatePem ?? '').split('\n')[5] ?? '';
  assert.ok(secret.length > 60);
  assert.notEqual(placesOf(secret, await bytesOfFolder(server.folder)).length, 0, 'the bytes are found where they are');
  for (let bucket = 0; bucket < 2; bucket++) {
    const rows = await server.node.services.tables.range(
      journal,
      { actor: `account/${fay.id}`, bucket },
      { limit: 1_000 },
    );
    assert.ok(bucket > 0 || rows.length > 0);
    assert.ok(!JSON.stringify(rows).includes(secret));
  }
});
