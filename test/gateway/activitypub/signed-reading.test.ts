import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { signatureHeaders } from '../../../transport/federation/signatures/signing.js';
import type { SignatureScheme } from '../../../transport/federation/signed-request.js';
import { Peer, type PeerActor } from '../../kit/federation/peer.js';
import { type Person, TestServer } from '../../kit/services/server.js';

const BASE = 'https://social.example';
const ACCEPT = 'application/activity+json';
let peer: Peer;
let open: TestServer;
let closed: TestServer;
let ann: Person;
let bob: PeerActor;
let eve: PeerActor;

before(async () => {
  peer = await Peer.open();
  const settings = { BASE_URL: BASE, FEDERATION_ALLOW_CIDRS: 'loopback' };
  open = await TestServer.start(settings);
  closed = await TestServer.start({ ...settings, AUTHORIZED_FETCH: 'on' });
  ann = await open.person('ann');
  await closed.person('ann');
  [bob, eve] = [peer.actor('bob'), peer.actor('eve')];
});
after(async () => {
  await Promise.all([open?.stop(), closed?.stop()]);
  await peer?.close();
});

const signerOf = ({ key }: PeerActor) => ({ keyId: key.id, privateKey: async () => key.privateKey });
const get = (server: TestServer, path: string, headers: Readonly<Record<string, string>> = {}) =>
  server.ask('GET', path, undefined, undefined, { accept: ACCEPT, ...headers });
async function signed(server: TestServer, path: string, by: PeerActor, scheme: SignatureScheme = 'cavage', at = path) {
  const url = new URL(at, BASE);
  return get(server, path, {
    host: url.host,
    ...(await signatureHeaders(scheme, { method: 'GET', url }, signerOf(by), Date.now())),
  });
}

test('a status for followers or for those mentioned is served to signers who may see it, and not stored by caches', async () => {
  const { services } = open.node;
  const key = await services.federation.keys.publicPem(bob.keyId);
  assert.ok('owner' in key);
  const id = await ann.says('for followers', { visibility: 'private' });
  const path = `/users/ann/statuses/${id}`;
  const missing = await get(open, '/users/ann/statuses/1');
  for (const answer of [await get(open, path), await signed(open, path, bob)])
    assert.deepEqual([answer.status, answer.body], [404, missing.body]);
  await services.askAccount(key.owner.id, 'follow', {
    ...{ target: ann.id, targetLocked: false, reblogs: true, notify: false },
  });
  for (const scheme of ['cavage', 'rfc9421'] as const) {
    const answer = await signed(open, path, bob, scheme);
    assert.deepEqual([answer.status, answer.body.type], [200, 'Note'], scheme);
    assert.deepEqual(
      [answer.headers.get('cache-control'), answer.headers.get('vary')],
      ['private, no-store', 'Accept, Signature'],
    );
  }
  const refused = [
    await signed(open, path, eve),
    await signed(open, path, bob, 'cavage', '/users/ann/statuses/1'),
    await get(open, path, { signature: 'keyId="x"' }),
  ];
  for (const answer of refused) assert.deepEqual([answer.status, answer.body], [404, missing.body]);
  const everybody = await ann.says('for everybody');
  const shown = await signed(open, `/users/ann/statuses/${everybody}`, bob);
  assert.match(shown.headers.get('cache-control') ?? '', /^public/);
});

test('with AUTHORIZED_FETCH only signed requests get documents of people', async () => {
  const paths = [
    '/users/ann',
    '/@ann',
    '/users/nobody',
    '/users/ann/outbox',
    '/users/ann/followers?page=true',
    '/users/ann/collections/featured',
    '/users/ann/collections/accounts',
    '/users/ann/statuses/1',
  ];
  for (const path of paths) {
    assert.equal((await get(closed, path)).status, 401, path);
    assert.equal((await get(closed, path, { signature: 'x' })).status, 401, path);
    assert.equal((await signed(closed, path, bob, 'cavage', '/users/other')).status, 401, path);
    const answer = await signed(closed, path, bob);
    assert.equal(answer.status, /nobody|statuses/.test(path) ? 404 : 200, path);
    if (answer.status === 200) assert.equal(answer.headers.get('cache-control'), 'private, no-store');
  }
  for (const path of ['/actor', '/.well-known/webfinger?resource=acct:ann@social.example', '/nodeinfo/2.1'])
    assert.equal((await get(closed, path)).status, 200, path);
});

test('a key that cannot be fetched is like no signature, and the failure is remembered', async () => {
  const path = '/users/ann';
  const stranger = peer.actor('mallory');
  peer.answer('/users/mallory', { status: 500 });
  assert.equal((await signed(closed, path, stranger)).status, 401);
  const asked = peer.asked('/users/mallory').length;
  assert.equal((await signed(closed, path, stranger)).status, 401);
  assert.equal(peer.asked('/users/mallory').length, asked, 'a failure is remembered');
});
