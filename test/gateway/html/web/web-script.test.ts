import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { SCRIPT_FILES, scriptPath } from '../../../../gateway/html/script-files.js';
import { Visitor } from '../../../kit/network/visitor.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { makeUser, PASSWORD } from '../../oauth/stage.js';

/** Largest script, as browsers load it without compression. */
const SCRIPT_BYTES_MAX = 20_000;
/** Own bytes of a page with its stylesheet and script, compressed. */
const PAGE_BYTES_MAX = 30_000;

let server: TestServer;
let bob: Person;
let alice: Visitor;
before(async () => {
  server = await TestServer.start();
  await makeUser(server, 'alice');
  bob = await server.person('bob');
  alice = new Visitor(server, { accept: 'text/html' });
  await alice.get('/auth/sign_in');
  await alice.submit('/auth/sign_in', { login: 'alice', password: PASSWORD });
});
after(() => server?.stop());

test('each script has fewer than 20 KB, and browsers keep it for a year', async () => {
  for (const [path, script] of SCRIPT_FILES) {
    assert.ok(Buffer.byteLength(script) < SCRIPT_BYTES_MAX, `${path}: ${script.length} bytes`);
    const { status, headers } = await server.get(path);
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
  }
});

test('a page of the client loads its own script only, and nothing of it runs in line', async () => {
  const { text, headers } = await alice.get('/web');
  assert.equal(text.split('<script').length, 2);
  assert.ok(text.includes(`<script type="module" src="${scriptPath('web')}"></script>`));
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /script-src 'self'; connect-src 'self'/);
  assert.doesNotMatch(policy, /unsafe/);
});

test('home with 20 posts, stylesheet and script have at most 30 KB compressed', async () => {
  await alice.get(`/web/people/${bob.id}`);
  await alice.submit(`/web/people/${bob.id}/follow`, {});
  for (let number = 0; number < 20; number++) await bob.says(`post ${number} with some words about birds`);
  const { text } = await alice.get('/web');
  assert.equal(text.split('<article').length, 21);
  const style = /href="(\/assets\/style-[^"]+)"/.exec(text)?.[1] ?? '';
  const files = [text, (await server.get(style)).body, (await server.get(scriptPath('web'))).body];
  const bytes = files.reduce((sum: number, file: string) => sum + gzipSync(file).length, 0);
  assert.ok(bytes <= PAGE_BYTES_MAX, `${bytes} bytes`);
});

test('the number of unread notifications stands at the tab until they are marked as read', async () => {
  await bob.says('@alice have you heard?');
  const { text } = await alice.get('/web');
  assert.match(text, /<span id="unread" class="mark" data-max="99">1</);
  await alice.get('/web/notifications');
  const last = alice.hidden('/web/notifications/read').last;
  assert.match(last ?? '', /^\d+$/);
  assert.equal((await alice.submit('/web/notifications/read', {})).location, '/web/notifications');
  const read = (await alice.get('/web/notifications')).text;
  assert.match(read, /<span id="unread" class="mark" hidden/);
  assert.doesNotMatch(read, /id="read"/);
});

test('a mark for a nonsensical id, or without the token of the session, changes nothing', async () => {
  await bob.says('@alice and this?');
  await alice.get('/web/notifications');
  for (const last of ['', 'x', '1'.repeat(40)])
    assert.equal((await alice.submit('/web/notifications/read', { last })).status, 422, last);
  assert.equal((await alice.post('/web/notifications/read', { last: '1', csrf: 'no' })).status, 403);
  assert.doesNotMatch((await alice.get('/web')).text, /id="unread" class="mark" hidden/);
});
