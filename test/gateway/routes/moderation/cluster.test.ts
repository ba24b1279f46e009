import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hostId } from '../../../../actors/remote-host/remote-host.js';
import { listedHosts } from '../../../../store/federation-tables.js';
import type { Visitor } from '../../../kit/network/visitor.js';
import { TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';
import { makeUser } from '../../oauth/stage.js';
import { signedIn } from './staff-browser.js';

const HOST = 'slow.example';
let server: TestServer;
let owner: Visitor;
before(async () => {
  server = await TestServer.start();
  await makeUser(server, 'owner', 'owner');
  await makeUser(server, 'chief', 'admin');
  owner = await signedIn(server, 'owner');
});
after(() => server?.stop());

const isHeld = async () => {
  const shown = await server.node.askHost(hostId(HOST), 'show', {});
  return 'held' in shown && shown.held;
};

test('the owner sees the node, its actors and its queues (/cluster)', async () => {
  const { status, text } = await owner.get('/cluster');
  assert.equal(status, 200);
  const { name } = server.node.status();
  assert.ok(text.includes(`<td class="number">${name}</td>`));
  assert.match(text, /Actors by kind.*<td>account<\/td>.*<svg .*Mails.*|Mails.*<td>account<\/td>.*<svg /s);
  assert.match(text, /Nothing waits for another server/);
  assert.match((await owner.get('/moderation/reports')).text, /href="\/cluster"/);
});

test('the owner sees the details of a node by its name, and a 404 for names that no node has', async () => {
  const { name } = server.node.status();
  const { status, text } = await owner.get(`/cluster?node=${encodeURIComponent(name)}`);
  assert.equal(status, 200);
  assert.ok(text.includes(`<h2>Node <bdi>${name}</bdi></h2>`));
  for (const unknown of ['nowhere', '<script>', '../etc', `${name}x`])
    assert.equal((await owner.get(`/cluster?node=${encodeURIComponent(unknown)}`)).status, 404, unknown);
  assert.equal((await owner.get(`/cluster?node=${'x'.repeat(300)}`)).status, 422);
});

test('the owner sees the accounts that receive the most commands', async () => {
  const busy = await server.person('busy');
  for (let count = 0; count < 500; count++) await server.node.services.askAccount(busy.id, 'collections', {});
  const { text } = await owner.get('/cluster');
  assert.match(text, new RegExp(`Busiest accounts.*<a href="/moderation/accounts/${busy.id}">@busy</a>`, 's'));
});

test('the owner sees plots of the load, drawn without styles and scripts', async () => {
  const page = await until(
    'the first sample is taken',
    async () => {
      const { text } = await owner.get('/cluster');
      return text.includes('<polyline') ? text : undefined;
    },
    20_000,
  );
  const plots =
    page.match(/<svg [^>]*role="img" aria-label="[^"]+"[^>]*><polyline points="[\d., ]+" fill="none"/g) ?? [];
  assert.equal(plots.length, 4, page);
  assert.doesNotMatch(page, /<script|style="|style>/);
});

test('others than the owner see nothing of it', async () => {
  const chief = await signedIn(server, 'chief');
  assert.equal((await chief.get('/cluster')).status, 403);
  assert.equal((await chief.get(`/cluster?node=${server.node.status().name}`)).status, 403);
  assert.equal((await chief.get('/cluster?node=nowhere')).status, 403);
  assert.doesNotMatch((await chief.get('/moderation/reports')).text, /href="\/cluster"/);
  await chief.get('/settings/preferences');
  const { csrf = '' } = chief.hidden('/settings/preferences');
  assert.equal((await chief.post('/cluster/hosts', { csrf, host: HOST, action: 'pause' })).status, 403);
  assert.equal(await isHeld(), false);
});

test('the owner pauses and resumes deliveries to a server (/cluster/hosts)', async () => {
  await owner.get('/settings/preferences');
  const { csrf = '' } = owner.hidden('/settings/preferences');
  const steer = (fields: Readonly<Record<string, string>>) => owner.post('/cluster/hosts', { csrf, ...fields });
  for (const [fields, status] of [
    [{ host: HOST, action: 'explode' }, 422],
    [{ host: 'no host!', action: 'pause' }, 404],
    [{ action: 'pause' }, 404],
    [{ host: HOST, action: 'pause', csrf: 'forged' }, 403],
    [{ host: 'x'.repeat(300), action: 'pause' }, 422],
  ] as const)
    assert.equal((await steer(fields)).status, status, JSON.stringify(fields));
  assert.equal(await isHeld(), false);
  assert.equal((await steer({ host: HOST, action: 'pause' })).location, '/cluster?done=true');
  assert.equal(await isHeld(), true);
  const rows = await server.node.services.tables.range(listedHosts, { century: 0 }, { limit: 10 });
  assert.deepEqual(
    rows.map(({ key }) => key.domain),
    [HOST],
  );
  const { text } = await owner.get('/cluster?done=true');
  assert.match(text, /Done\..*<bdi>slow\.example<\/bdi>.*Paused.*value="resume"/s);
  assert.doesNotMatch((await owner.get(`/cluster?after=${HOST}`)).text, /<bdi>slow\.example/);
  await owner.get('/cluster');
  assert.equal((await owner.submit('/cluster/hosts', { action: 'resume' })).status, 303);
  assert.equal(await isHeld(), false);
});
