import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Document, type Peer, type PeerActor, PUBLIC } from '../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../kit/federation/trusted-loopback.js';
import { call, makePeople, type Person } from '../cluster/people.js';

let loopback: TrustedLoopback;
let server: SecureServer;
let peer: Peer;
let ada: Person;
let bob: PeerActor;
let eve: PeerActor;
before(async () => {
  loopback = await TrustedLoopback.open();
  peer = await loopback.peer();
  [bob, eve] = [peer.actor('bob'), peer.actor('eve')];
  server = await loopback.server();
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
});
after(async () => {
  await server?.dispose();
  await peer?.close();
  await loopback?.close();
});

const uri = () => `${server.url}/users/ada`;
const change = (body: object) => call(server.url, ada, 'PATCH', '/api/v1/accounts/update_credentials', body);
const read = (at: string) => fetch(at, { headers: { accept: 'application/activity+json' } });
const idOf = async (who: PeerActor): Promise<string> => {
  const path = `/api/v2/search?q=${encodeURIComponent(who.uri)}&resolve=true`;
  return ((await call(server.url, ada, 'GET', path)) as Document).accounts[0].id;
};
/** Asks for a place in a collection. */
async function request(who: PeerActor, instrument: string): Promise<Document> {
  const activity = who.activity('FeatureRequest', uri(), { instrument });
  assert.equal(await who.post(`${server.url}/inbox`, activity), 202);
  return activity;
}
/** Returns the latest answer of a type, of that many. */
const answer = async (type: string, count: number): Promise<Document> =>
  (await peer.gets(type, count)).at(-1)?.activity as Document;

test('a request to feature somebody is answered by their policy, and a block revokes the stamp', async () => {
  const collection = `${bob.uri}/collections/1`;
  const early = await request(bob, collection);
  const refused = await answer('Reject', 1);
  assert.deepEqual([refused.actor, refused.object.id, refused.result], [uri(), early.id, undefined]);

  await change({ discoverable: true });
  const actor = (await (await read(uri())).json()) as Document;
  assert.deepEqual(actor.interactionPolicy.canFeature.automaticApproval, [PUBLIC]);
  const asked = await request(bob, collection);
  const accepted = await answer('Accept', 1);
  assert.deepEqual([accepted.object.id, accepted.object.instrument, accepted.to], [asked.id, collection, [bob.uri]]);
  const stamp = (await (await read(accepted.result)).json()) as Document;
  assert.deepEqual(
    [stamp.id, stamp.type, stamp.interactingObject, stamp.interactionTarget, stamp.attributedTo],
    [accepted.result, 'FeatureAuthorization', collection, uri(), uri()],
  );
  await request(bob, collection);
  assert.equal((await answer('Accept', 2)).result, accepted.result, 'the same stamp again');

  // The collection is bob’s: nobody else gets a stamp for it, and none for that of another server.
  await request(eve, collection);
  await request(eve, `${server.url}/collections/1`);
  await server.kill();
  await server.restart();
  await call(server.url, ada, 'POST', `/api/v1/accounts/${await idOf(bob)}/block`);
  const revoked = await answer('Delete', 1);
  assert.deepEqual([revoked.actor, revoked.object.id, revoked.object.type], [uri(), stamp.id, 'FeatureAuthorization']);
  assert.equal((await read(stamp.id)).status, 404);
  assert.equal(peer.delivered('Accept').filter(({ target }) => target.includes('eve')).length, 0);
});
