import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hostId } from '../../../../../actors/remote-host/remote-host.js';
import { listedHosts } from '../../../../../store/federation-tables.js';
import { Visitor } from '../../../../kit/network/visitor.js';
import { TestServer } from '../../../../kit/services/server.js';
import { until } from '../../../../kit/time/until.js';
import { makeUser, signedIn } from '../../../oauth/stage.js';

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

test('the owner sees plots of the load, drawn without styles and by no script', async () => {
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
  assert.doesNotMatch(page, /<script(?! type="module" src="\/assets\/cluster-)|style="|style>/);
});

/** Opens the stream of the page. */
async function stream(visitor: Visitor, query = ''): Promise<Response> {
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { cookie, accept: 'text/event-stream' };
  return server.send(`/cluster/streaming${query}`, { method: 'GET', redirect: 'manual', headers });
}

/** Returns what each event shows, at most `max` of them, and fewer if the stream ends. */
async function events(response: Response, max: number, onEvent = async () => {}): Promise<string[]> {
  const shown: string[] = [];
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      shown.push(JSON.parse(text.slice(0, end).replace(/^(?::\n)?data: /, '')) as string);
      text = text.slice(end + 2);
      if (shown.length >= max) return shown;
      await onEvent();
    }
  }
  return shown;
}

test('the stream of the page shows the figures at once and again later, until the owner is none', async () => {
  const { name } = server.node.status();
  const response = await stream(owner, `?node=${encodeURIComponent(name)}`);
  assert.deepEqual(
    ['content-type', 'cache-control', 'access-control-allow-origin'].map((header) => response.headers.get(header)),
    ['text/event-stream', 'private, no-store', null],
  );
  const [first = '', second = ''] = await events(response, 2);
  for (const html of [first, second]) {
    assert.ok(html.includes(`<h2>Node <bdi>${name}</bdi></h2>`), html);
    assert.match(html, /<h3>Shards of the node<\/h3><p>0–1023<\/p>/);
  }
  const boss = await makeUser(server, 'boss', 'owner');
  const theirs = await stream(await signedIn(server, 'boss'));
  const shown = await events(theirs, 3, async () => {
    await server.node.services.askAccount(boss, 'moderate', {
      action: 'role',
      role: '',
      by: '',
      text: '',
      mail: false,
    });
  });
  assert.equal(shown.length, 1);
});

test('the stream of the page is closed to others, and leads what is no event source to the page', async () => {
  const chief = await signedIn(server, 'chief');
  assert.equal((await stream(chief)).status, 403);
  assert.match((await stream(new Visitor(server, {}))).headers.get('location') ?? '', /^\/auth\/sign_in/);
  assert.equal((await owner.get('/cluster/streaming')).location, '/cluster');
  assert.equal((await stream(owner, '?node=nowhere')).status, 404);
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
  const offered = async () =>
    [...(await owner.get('/cluster')).text.matchAll(/name="action" value="(\w+)"/g)].map(([, act]) => act);
  assert.deepEqual(await offered(), ['drop', 'resume'], 'nothing is sent to a paused server');
  assert.equal((await steer({ host: HOST, action: 'retry' })).status, 409);
  await owner.get('/cluster');
  assert.equal((await owner.submit('/cluster/hosts', { action: 'drop' })).location, '/cluster?done=true');
  await owner.get('/cluster');
  assert.equal((await owner.submit('/cluster/hosts', { action: 'resume' })).status, 303);
  assert.equal((await steer({ host: HOST, action: 'retry' })).location, '/cluster?done=true');
  assert.equal(await isHeld(), false);
});

test('an open stream of the page ends with the drain of its node, which does not wait for it', async () => {
  const other = await TestServer.start();
  try {
    await makeUser(other, 'owner', 'owner');
    const visitor = await signedIn(other, 'owner');
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, accept: 'text/event-stream' };
    const response = await other.send('/cluster/streaming', { method: 'GET', headers });
    const startedMs = performance.now();
    const ended = events(response, 100);
    await other.node.drain();
    assert.equal((await ended).length, 1);
    assert.ok(performance.now() - startedMs < 5_000, 'before the next event');
  } finally {
    await other.stop();
  }
});
