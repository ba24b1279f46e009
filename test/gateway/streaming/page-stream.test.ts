import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Visitor } from '../../kit/network/visitor.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { makeUser, PASSWORD } from '../oauth/stage.js';

const STREAM = '/web/streaming';

let server: TestServer;
let bob: Person;
let aliceId: string;
before(async () => {
  server = await TestServer.start();
  aliceId = await makeUser(server, 'alice');
  bob = await server.person('bob');
});
after(() => server?.stop());

async function signedIn(): Promise<Visitor> {
  const visitor = new Visitor(server, { accept: 'text/html' });
  await visitor.get('/auth/sign_in');
  await visitor.submit('/auth/sign_in', { login: 'alice', password: PASSWORD });
  return visitor;
}

function open(
  visitor: Visitor | undefined,
  headers: Readonly<Record<string, string>> = {},
  path = STREAM,
): Promise<Response> {
  const cookie = [...(visitor?.cookies ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  return server.send(path, { method: 'GET', headers: { ...(cookie === '' ? {} : { cookie }), ...headers } });
}

/** Reads a stream until a text comes, or to its end if none is given. */
async function read(response: Response, wanted?: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  assert.ok(response.body !== null);
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (wanted !== undefined && text.includes(wanted)) break;
  }
  return text;
}

test('a page of the server gets the events of its person, and scripts of other sites may not read them', async () => {
  const alice = await signedIn();
  const stream = await open(alice, { 'sec-fetch-site': 'same-origin' });
  assert.equal(stream.status, 200);
  assert.equal(stream.headers.get('access-control-allow-origin'), null);
  assert.equal(stream.headers.get('cache-control'), 'private, no-store');
  await bob.says('@alice are you there?');
  assert.match(await read(stream, 'are you there?'), /event: notification/);
});

test('the stream of a page has what came after the page, although it opens later', async () => {
  const alice = await signedIn();
  await bob.says('@alice before the page');
  const { text } = await alice.get('/web');
  const since = /data-since="(\d+)"/.exec(text)?.[1] ?? '';
  await bob.says('@alice between page and stream');
  const stream = await open(alice, {}, `${STREAM}?since=${since}`);
  const events = await read(stream, 'between page and stream');
  assert.match(events, /event: notification/);
  assert.doesNotMatch(events, /before the page/);
});

test('requests of other sites, of strangers and with access tokens get no stream', async () => {
  const alice = await signedIn();
  for (const site of ['cross-site', 'same-site', 'none'])
    assert.equal((await open(alice, { 'sec-fetch-site': site })).status, 403, site);
  assert.equal((await open(alice, { origin: 'https://evil.example' })).status, 403);
  assert.equal((await open(undefined)).status, 401);
  const token = await server.token(aliceId, ['read']);
  assert.equal((await open(undefined, { authorization: `Bearer ${token}` })).status, 401);
  const session = alice.cookies.get('murmuration_session') ?? '';
  const direct = await server.send('/api/v1/streaming/user', {
    method: 'GET',
    headers: { authorization: `Bearer ${session}` },
  });
  assert.equal(direct.status, 401, 'the session is no access token');
});

test('a sign-out ends the stream', async () => {
  const alice = await signedIn();
  const stream = await open(alice);
  assert.equal(stream.status, 200);
  await alice.get('/web');
  await alice.submit('/auth/sign_out', {});
  await read(stream);
  assert.equal((await open(alice)).status, 401);
});
