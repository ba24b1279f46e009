import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestServer } from '../../kit/services/server.js';

let server: TestServer;
let inboxes: readonly string[];
before(async () => {
  server = await TestServer.start();
  const { name } = await server.person('ada');
  inboxes = ['/inbox', '/actor/inbox', `/users/${name}/inbox`];
});
after(() => server?.stop());

const gone = 'https://gone.example/users/x';
const deletion = JSON.stringify({ type: 'Delete', id: `${gone}#delete`, actor: gone, object: gone });

async function post(path: string, body: string, type = 'application/activity+json') {
  const response = await server.send(path, { method: 'POST', body, headers: { 'content-type': type } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test('the deletion of an unknown account is taken at every inbox', async () => {
  for (const path of inboxes) {
    const { status, text } = await post(path, deletion);
    assert.deepEqual([status, text], [202, ''], path);
  }
});

test('only ActivityStreams types are read', async () => {
  const profile = 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"';
  for (const type of ['application/activity+json; charset=utf-8', 'Application/Activity+JSON', profile]) {
    assert.equal((await post('/inbox', deletion, type)).status, 202, type);
  }
  const others = [
    'application/json',
    'text/plain',
    'image/png',
    'application/ld+json',
    'application/x-www-form-urlencoded',
  ];
  for (const type of [...others, 'application/ld+json; profile="https://example.org/other"']) {
    const { status, text } = await post('/inbox', deletion, type);
    assert.equal(status, 415, type);
    assert.ok(JSON.parse(text).error);
  }
});

test('an unsigned activity is refused with the components that a signature must cover', async () => {
  const follow = { type: 'Follow', id: `${gone}/1`, actor: gone, object: 'http://localhost/users/ada' };
  for (const path of inboxes) {
    const { status, headers } = await post(path, JSON.stringify(follow));
    assert.equal(status, 401);
    assert.match(headers.get('www-authenticate') ?? '', /^Signature .*digest/);
  }
});

test('malformed bodies are refused, and other spellings of the path find no inbox', async () => {
  for (const body of ['', '{', '[]', '{"type":"Delete"}', '\u0000', '{"@graph":[]}']) {
    assert.equal((await post('/inbox', body)).status, 400, body);
  }
  assert.equal((await post('/inbox', `{"a":"${'x'.repeat(1_048_577)}"}`)).status, 413);
  for (const path of ['/inbox/', '//inbox', '/users/ada//inbox'])
    assert.equal((await post(path, deletion)).status, 404);
  assert.equal((await server.get('/inbox')).status, 405);
});
