import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { signatureHeaders } from '../../../transport/federation/signatures/signing.js';
import { Peer, type PeerActor } from '../../kit/federation/peer.js';
import { type Person, TestServer } from '../../kit/services/server.js';

const BASE = 'https://social.example';
const COLLECTIONS = ['replies', 'replies?page=true', 'likes', 'shares'];
let peer: Peer;
let server: TestServer;
let ann: Person;
let ben: Person;
let bob: PeerActor;
before(async () => {
  peer = await Peer.open();
  server = await TestServer.start({ BASE_URL: BASE, DOMAIN: 'example', FEDERATION_ALLOW_CIDRS: 'loopback' });
  [ann, ben] = [await server.person('ann'), await server.person('ben')];
  bob = peer.actor('bob');
});
after(async () => {
  await server?.stop();
  await peer?.close();
});

const fetched = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  server.ask('GET', path, undefined, undefined, { accept: 'application/activity+json', ...headers });
async function signed(path: string, { key }: PeerActor) {
  const url = new URL(path, BASE);
  const signer = { keyId: key.id, privateKey: async () => key.privateKey };
  return fetched(path, {
    host: url.host,
    ...(await signatureHeaders('cavage', { method: 'GET', url }, signer, Date.now())),
  });
}
const pathOf = (id: string, of = 'ann') => `/users/${of}/statuses/${id}`;
const uriOf = (id: string, of = 'ann') => `${BASE}${pathOf(id, of)}`;
const answer = (who: Person, to: string, visibility = 'public') =>
  who.says('an answer', { in_reply_to_id: to, visibility });

test('the answers to a status are those that everybody may see, oldest first, in pages', async () => {
  const first = await ann.says('hello');
  const shown: string[] = [];
  for (let index = 0; index < 41; index++)
    shown.push(uriOf(await answer(ben, first, index === 7 ? 'unlisted' : 'public'), 'ben'));
  for (const visibility of ['private', 'direct']) await answer(ben, first, visibility);
  const deleted = await answer(ben, first);
  await ben.remove(`/api/v1/statuses/${deleted}`);
  const note = (await fetched(pathOf(first))).body;
  assert.equal(note.replies, `${uriOf(first)}/replies`);
  const collection = (await fetched(`/users/${ann.name}/statuses/${first}/replies`)).body;
  assert.deepEqual([collection.id, collection.type], [note.replies, 'Collection']);
  const items: string[] = [];
  let pages = 0;
  for (let next = collection.first; next !== undefined; pages += 1) {
    const { body } = await fetched(next.slice(BASE.length));
    assert.deepEqual([body.type, body.partOf, body.id], ['CollectionPage', note.replies, next]);
    items.push(...body.items);
    next = body.next;
  }
  assert.deepEqual([items, pages], [shown, 2]);
});

test('favourites and reblogs show their number only', async () => {
  const id = await ann.says('like me');
  await ben.post(`/api/v1/statuses/${id}/favourite`);
  await ben.post(`/api/v1/statuses/${id}/reblog`);
  const { likes, shares } = (await fetched(pathOf(id))).body;
  assert.deepEqual(likes, { id: `${uriOf(id)}/likes`, type: 'Collection', totalItems: 1 });
  assert.deepEqual(shares, { id: `${uriOf(id)}/shares`, type: 'Collection', totalItems: 1 });
  for (const [path, collection] of [
    [`/users/${ann.name}/statuses/${id}/likes`, likes],
    [`/users/${ann.name}/statuses/${id}/shares`, shares],
  ] as const) {
    const { '@context': _context, ...served } = (await fetched(path)).body;
    assert.deepEqual(served, collection);
  }
});

test('a conversation that began here lists its statuses, and its statuses name it', async () => {
  const first = await ann.says('hello');
  const second = await answer(ben, first);
  const third = await answer(ann, second, 'unlisted');
  const hidden = await answer(ann, third, 'private');
  const context = `${BASE}/contexts/${first}`;
  for (const [id, of] of [
    [first, 'ann'],
    [second, 'ben'],
    [third, 'ann'],
  ] as const)
    assert.equal((await fetched(pathOf(id, of))).body.context, context);
  const collection = (await fetched(`/contexts/${first}`)).body;
  assert.deepEqual([collection.id, collection.attributedTo], [context, `${BASE}/users/ann`]);
  const { items } = (await fetched(collection.first.slice(BASE.length))).body;
  assert.deepEqual(items, [uriOf(first), uriOf(second, 'ben'), uriOf(third)]);
  for (const id of [second, hidden, '1']) assert.equal((await fetched(`/contexts/${id}`)).status, 404, 'no beginning');
});

test('collections of statuses that not everybody may see are answered as missing ones', async () => {
  const missing = await fetched('/users/ann/statuses/1');
  const ids = [
    await ann.says('for followers', { visibility: 'private' }),
    await ann.says('@ben x', { visibility: 'direct' }),
  ];
  const deleted = await ann.says('soon deleted');
  await ann.remove(`/api/v1/statuses/${deleted}`);
  const paths = [...ids, deleted, '1'].flatMap((id) => COLLECTIONS.map((name) => `${pathOf(id)}/${name}`));
  for (const path of [...paths, ...ids.map((id) => `/contexts/${id}`), `${pathOf(await ben.says('of ben'))}/likes`])
    for (const found of [await fetched(path), await signed(path, bob)])
      assert.deepEqual(
        [found.status, found.body, found.headers.get('cache-control')],
        [404, missing.body, missing.headers.get('cache-control')],
        path,
      );
});

test('signers who may see a status get its collections, and no cache stores them', async () => {
  const key = await server.node.services.federation.keys.publicPem(bob.keyId);
  assert.ok('owner' in key);
  const follow = { target: ann.id, targetLocked: false, reblogs: true, notify: false };
  await server.node.services.askAccount(key.owner.id, 'follow', follow);
  const id = await ann.says('for followers', { visibility: 'private' });
  const shown = uriOf(await answer(ann, id, 'public'));
  for (const path of [...COLLECTIONS.map((name) => `${pathOf(id)}/${name}`), `/contexts/${id}`]) {
    const found = await signed(path, bob);
    assert.deepEqual([found.status, found.headers.get('cache-control')], [200, 'private, no-store'], path);
  }
  assert.deepEqual((await signed(`${pathOf(id)}/replies?page=true`, bob)).body.items, [shown]);
  assert.equal((await fetched(shown.slice(BASE.length))).body.context, undefined, 'a public answer does not name it');
});
