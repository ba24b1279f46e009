import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Peer } from '../../kit/federation/peer.js';
import { Visitor } from '../../kit/network/visitor.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { makeUser, PASSWORD } from '../oauth/stage.js';

let server: TestServer;
let peer: Peer;
let alice: Visitor;
let stranger: Visitor;
let bob: Person;
before(async () => {
  peer = await Peer.open();
  server = await TestServer.start({ FEDERATION_ALLOW_CIDRS: 'loopback' });
  await makeUser(server, 'alice');
  bob = await server.person('bob');
  alice = new Visitor(server, { accept: 'text/html' });
  stranger = new Visitor(server, { accept: 'text/html' });
  await alice.get('/auth/sign_in');
  await alice.submit('/auth/sign_in', { login: 'alice', password: PASSWORD });
});
after(async () => {
  await server?.stop();
  await peer?.close();
});

const interaction = (uri: string) => `/authorize_interaction?uri=${encodeURIComponent(uri)}`;

test('somebody who is signed in is led to the person or post that they found elsewhere', async () => {
  const post = await bob.says('a post');
  const person = `/web/people/${bob.id}`;
  for (const uri of ['acct:bob@localhost', '@bob@localhost', 'http://localhost/@bob', 'http://localhost/users/bob'])
    assert.equal((await alice.get(interaction(uri))).location, person, uri);
  for (const uri of [`http://localhost/@bob/${post}`, `http://localhost/users/bob/statuses/${post}`])
    assert.equal((await alice.get(interaction(uri))).location, `/web/posts/${post}`, uri);
  assert.match((await alice.get(person)).text, new RegExp(`action="${person}/follow"`));
});

test('people of another server are looked up there', async () => {
  const far = peer.actor('far');
  const { location = '' } = await alice.get(interaction(far.document.id));
  assert.match(location, /^\/web\/people\/\d+$/);
  assert.equal((await alice.get(interaction(`far@${peer.host}`))).location, location);
});

test('nothing but the address of a person or a post leads on, and private posts are missing', async () => {
  const secret = await bob.says('for nobody', { visibility: 'direct' });
  const missing = await alice.get(interaction('http://localhost/@bob/1'));
  assert.equal(missing.status, 404);
  for (const uri of [
    '',
    'bob',
    '#birds',
    'javascript:alert(1)',
    '//evil.example',
    'https://',
    `http://localhost/@bob/${secret}`,
  ])
    assert.equal((await alice.get(interaction(uri))).status, 404, uri);
  assert.equal((await alice.get('/authorize_interaction')).status, 404);
  assert.equal((await alice.get(interaction('x'.repeat(501)))).status, 422);
});

test('others sign in first and come back', async () => {
  const path = interaction('acct:bob@localhost');
  const { location = '' } = await stranger.get(path);
  assert.equal(location, `/auth/sign_in?return_to=${encodeURIComponent(path)}`);
  const visitor = new Visitor(server, { accept: 'text/html' });
  await visitor.get(location);
  assert.equal((await visitor.submit('/auth/sign_in', { login: 'alice', password: PASSWORD })).location, path);
});

test("WebFinger names the page for other servers' links", async () => {
  const { body } = await server.get('/.well-known/webfinger?resource=acct:bob@localhost');
  const rel = 'http://ostatus.org/schema/1.0/subscribe';
  const template = 'http://localhost/authorize_interaction?uri={uri}';
  assert.deepEqual(
    body.links.find((link: { rel: string }) => link.rel === rel),
    { rel, template },
  );
});

test('a post offers the way to the server that the reader names, for a reply', async () => {
  const post = await bob.says('ask me');
  const path = `/@bob/${post}/interact`;
  assert.match((await stranger.get(`/@bob/${post}`)).text, new RegExp(`href="${path}">Reply from your server`));
  assert.match((await alice.get(`/@bob/${post}`)).text, new RegExp(`href="/web/posts/${post}">Reply<`));
  assert.match((await stranger.get(path)).text, /name="from"/);
  const led = (await stranger.get(`${path}?from=eve@far.example`)).text;
  const uri = encodeURIComponent(`http://localhost/users/bob/statuses/${post}`);
  assert.ok(led.includes(`href="https://far.example/authorize_interaction?uri=${uri}"`));
  const wrong = await stranger.get(`${path}?from=%22%3E%3Cb%3E`);
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /value="&quot;>&lt;b>"/);
  const secret = await bob.says('for nobody', { visibility: 'direct' });
  const other = 'alice';
  for (const id of [secret, '1', post.replace(/\d$/, '')])
    assert.equal((await stranger.get(`/@bob/${id}/interact`)).status, 404);
  assert.equal((await stranger.get(`/@${other}/${post}/interact`)).status, 404);
});
