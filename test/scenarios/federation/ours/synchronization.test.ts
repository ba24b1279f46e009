import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  followersDigest,
  readSynchronization,
  synchronizationHeader,
} from '../../../../actors/federation/synchronization/header.js';
import { signatureHeaders } from '../../../../transport/federation/signatures/signing.js';
import type { Peer, PeerActor } from '../../../kit/federation/peer.js';
import { type Answer, follow, Place, seen } from '../../../kit/federation/two-places.js';

/** Ann writes here; people of a scripted server and Ben of another one of ours follow her. */
let here: Place;
let there: Place;
let peer: Peer;
let bob: PeerActor;
before(async () => {
  [here, there] = await Place.pair('ann', 'ben');
  peer = await here.loopback.peer();
  bob = peer.actor('bob');
});
after(async () => {
  await Promise.all([here?.dispose(), there?.dispose(), peer?.close()]);
});

const uri = () => `${here.url}/users/ann`;

/** Reads the followers on the signer's server. */
async function partOf(by?: PeerActor): Promise<Response> {
  const url = new URL(`/users/${here.person.name}/followers_synchronization`, here.url);
  const signer = by && { keyId: by.key.id, privateKey: async () => by.key.privateKey };
  const signed = signer && (await signatureHeaders('cavage', { method: 'GET', url }, signer, Date.now()));
  return fetch(url, { headers: { accept: 'application/activity+json', ...signed } });
}

test('deliveries for followers carry the digest of the followers of their server, which alone may read them', async () => {
  assert.equal(await bob.post(`${here.url}/inbox`, bob.activity('Follow', uri())), 202);
  await follow(there, here);
  await seen('two followers', async () => (await here.ask('GET', `accounts/${here.person.id}`)).followers_count === 2);
  await here.ask('POST', 'statuses', { status: 'for all' });
  await here.ask('POST', 'statuses', { status: 'for followers', visibility: 'private' });
  const [open, closed] = (await peer.gets('Create', 2)).sort((a, b) => a.atMs - b.atMs);
  assert.equal(open?.headers['collection-synchronization'], undefined);
  assert.deepEqual(readSynchronization(closed?.headers['collection-synchronization'] ?? ''), {
    collectionId: `${uri()}/followers`,
    url: `${uri()}/followers_synchronization`,
    digest: followersDigest([bob.uri]),
  });
  assert.equal((await partOf()).status, 401);
  const part = await partOf(bob);
  assert.match(part.headers.get('cache-control') ?? '', /no-store/);
  assert.deepEqual(((await part.json()) as Answer).orderedItems, [bob.uri]);
});

test('a list that does not fit its digest ends no follow, nor does one for the followers of somebody else', async () => {
  const carl = peer.actor('carl');
  const { accounts } = await here.find(`@carl@${peer.host}`);
  const { id } = accounts[0];
  await here.ask('POST', `accounts/${id}/follow`);
  const asked = (await peer.gets('Follow')).find(({ activity }) => activity.object === carl.uri);
  assert.equal(await carl.post(`${here.url}/inbox`, carl.activity('Accept', asked?.activity)), 202);
  const relation = async () => (await here.ask('GET', `accounts/relationships?id[]=${id}`))[0];
  await seen('the follow', async () => (await relation()).following);

  const dan = peer.actor('dan');
  const url = peer.uri('parts');
  const path = new URL(url).pathname;
  const serves = (by: PeerActor, orderedItems: unknown) =>
    peer.serves({ id: url, type: 'OrderedCollection', attributedTo: by.uri, orderedItems });
  const sends = async (by: PeerActor, digest: string, collectionId = by.document.followers) => {
    const { headers, body } = by.signed(`${here.url}/inbox`, by.activity('Like', `${uri()}/statuses/1`));
    const header = synchronizationHeader({ collectionId, url, digest });
    const sent = { ...headers, 'collection-synchronization': header };
    assert.equal((await fetch(`${here.url}/inbox`, { method: 'POST', headers: sent, body })).status, 202);
  };
  // Another person's followers are not compared, nor is a list believed that does not fit.
  serves(carl, []);
  await sends(dan, followersDigest([]), carl.document.followers);
  await sends(carl, followersDigest(['https://v.example/users/x']));
  await seen('a fetch of the list', async () => peer.asked(path).length > 0);
  assert.equal((await relation()).following, true);
  assert.equal(peer.asked(path).length, 1);
});

test('a follow that the other server does not know ends here', async () => {
  const eve = peer.actor('eve');
  const { accounts } = await here.find(`@eve@${peer.host}`);
  const { id } = accounts[0];
  await here.ask('POST', `accounts/${id}/follow`);
  const asked = await seen('the Follow', async () =>
    peer.delivered('Follow').find(({ activity }) => activity.object === eve.uri),
  );
  assert.equal(await eve.post(`${here.url}/inbox`, eve.activity('Accept', asked.activity)), 202);
  const relation = async () => (await here.ask('GET', `accounts/relationships?id[]=${id}`))[0];
  await seen('the follow', async () => (await relation()).following);
  const url = peer.uri('parts');
  peer.serves({ id: url, type: 'OrderedCollection', attributedTo: eve.uri, orderedItems: [] });
  const { headers, body } = eve.signed(`${here.url}/inbox`, eve.activity('Like', `${uri()}/statuses/1`));
  const header = synchronizationHeader({ collectionId: eve.document.followers, url, digest: followersDigest([]) });
  await fetch(`${here.url}/inbox`, {
    ...{ method: 'POST', body, headers: { ...headers, 'collection-synchronization': header } },
  });
  await seen('no follow', async () => !(await relation()).following);
});

test('a follow that only the other server knows ends there, once it lists a person who does not follow', async () => {
  const fay = peer.actor('fay');
  await here.find(`@fay@${peer.host}`);
  const url = peer.uri('parts');
  const nobody = `${here.url}/users/nobody`;
  const orderedItems = [uri(), nobody, 'https://v.example/users/x'];
  peer.serves({ id: url, type: 'OrderedCollection', attributedTo: fay.uri, orderedItems });
  const { headers, body } = fay.signed(`${here.url}/inbox`, fay.activity('Like', `${uri()}/statuses/1`));
  const digest = followersDigest(orderedItems);
  const header = synchronizationHeader({ collectionId: fay.document.followers, url, digest });
  await fetch(`${here.url}/inbox`, {
    ...{ method: 'POST', body, headers: { ...headers, 'collection-synchronization': header } },
  });
  const { activity } = await seen('the Undo', async () =>
    peer.delivered('Undo').find((one) => (one.activity.object as Answer | undefined)?.object === fay.uri),
  );
  const undone = activity.object as Answer;
  assert.deepEqual([activity.actor, undone.type, undone.actor], [uri(), 'Follow', uri()]);
  assert.equal(peer.delivered('Undo').length, 1);
});
