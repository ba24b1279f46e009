import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestServer } from '../../kit/services/server.js';

const BASE = 'https://social.example';
let server: TestServer;
before(async () => {
  server = await TestServer.start({ BASE_URL: BASE, DOMAIN: 'example' });
  await server.person('ann');
});
after(() => server?.stop());

const asked = (resource: string) => server.get(`/.well-known/webfinger?resource=${encodeURIComponent(resource)}`);

test('a person is found by name, under both domains, and by both addresses', async () => {
  const first = await asked('acct:ann@example');
  assert.equal(first.headers.get('content-type'), 'application/jrd+json; charset=utf-8');
  assert.equal(first.headers.get('access-control-allow-origin'), '*');
  const { subject, aliases, links } = first.body;
  assert.equal(subject, 'acct:ann@example');
  assert.deepEqual(aliases, [`${BASE}/users/ann`, `${BASE}/@ann`]);
  assert.deepEqual(
    links.find(({ rel }: { rel: string }) => rel === 'self'),
    { rel: 'self', type: 'application/activity+json', href: `${BASE}/users/ann` },
  );
  const others = ['acct:ANN@Example', 'acct:ann@social.example', 'ann@example', '@ann@example', `${BASE}/@ann`];
  for (const resource of [...others, `${BASE}/users/ann`, `${BASE}/@ann/`])
    assert.deepEqual((await asked(resource)).body, first.body, resource);
});

test('the instance is found as its own actor', async () => {
  for (const resource of ['acct:example@example', `${BASE}/actor`]) {
    const { body } = await asked(resource);
    assert.equal(body.subject, 'acct:example@example');
    assert.equal(body.links.at(-1).href, `${BASE}/actor`);
  }
});

test('a query without resource is malformed, and a resource of others is not found', async () => {
  for (const path of ['', '?resource=', '?rel=self'])
    assert.equal((await server.get(`/.well-known/webfinger${path}`)).status, 400, path);
  for (const resource of [
    'acct:nobody@example',
    'acct:ann@elsewhere.example',
    'acct:ann',
    'acct:@example',
    'acct:ann@example@example',
    'https://elsewhere.example/@ann',
    `${BASE}/@ann/1`,
    `${BASE}.elsewhere.example/@ann`,
    'mailto:ann@example.org',
  ])
    assert.equal((await asked(resource)).status, 404, resource);
  assert.equal((await asked(`acct:${'x'.repeat(3_000)}@example`)).status, 422);
});

test('a suspended person is not found, and a deleted one is gone', async () => {
  const [eve, chief] = [await server.person('eve'), await server.staff('chief', 'admin')];
  await server.node.services.askAccount(eve.id, 'moderate', { action: 'suspend', by: '', text: '', mail: false });
  assert.equal((await asked('acct:eve@example')).status, 404);
  assert.equal((await chief.remove(`/api/v1/admin/accounts/${eve.id}`)).status, 200);
  assert.equal((await asked('acct:eve@example')).status, 410);
});

test('host-meta names the address of WebFinger, as XML and as JSON', async () => {
  const xml = await server.send('/.well-known/host-meta');
  assert.match(xml.headers.get('content-type') ?? '', /^application\/xrd\+xml/);
  const template = `${BASE}/.well-known/webfinger?resource={uri}`;
  assert.ok((await xml.text()).includes(`template="${template}"`));
  assert.equal((await server.get('/.well-known/host-meta.json')).body.links[0].template, template);
});
