import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { verifyCavage } from './cavage.js';
import { Peer } from './peer.js';

let peer: Peer;
before(async () => {
  peer = await Peer.open();
});
after(() => peer?.close());

test('a peer serves its actors and objects, and names them by WebFinger', async () => {
  const ann = peer.actor('ann');
  const read = async (url: string) => (await fetch(url)).json() as Promise<Record<string, unknown>>;
  assert.equal((await read(ann.uri)).preferredUsername, 'ann');
  assert.equal((await read(ann.note('hello').id)).content, 'hello');
  const found = await read(`${peer.url}/.well-known/webfinger?resource=acct:ann@${peer.host}`);
  assert.deepEqual((found.links as { href: string }[])[0]?.href, ann.uri);
  assert.equal((await fetch(`${peer.url}/nothing`)).status, 404);
});

test('a peer records signed deliveries, and its signatures fit the request alone', async () => {
  const ben = peer.actor('ben');
  const follow = ben.activity('Follow', 'http://there.example/users/x');
  assert.equal(await ben.post(`${peer.url}/inbox`, follow), 202);
  const [got] = await peer.gets('Follow');
  assert.ok(got);
  assert.equal(got.activity.id, follow.id);
  const pemOf = (keyId: string) => (keyId === ben.keyId ? ben.document.publicKey.publicKeyPem : undefined);
  assert.equal(verifyCavage(got, pemOf), ben.keyId);
  assert.equal(verifyCavage({ ...got, target: '/users/x/inbox' }, pemOf), undefined);
  ben.rotate();
  assert.equal(verifyCavage(got, pemOf), undefined);
});

test('a peer gives the answer that the test sets', async () => {
  peer.answer('/inbox', { status: 503, headers: { 'retry-after': '7' } });
  const response = await fetch(`${peer.url}/inbox`, { method: 'POST', body: '{}' });
  assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '7']);
  peer.answer('/slow', 'hang');
  await assert.rejects(fetch(`${peer.url}/slow`, { signal: AbortSignal.timeout(100) }));
});
