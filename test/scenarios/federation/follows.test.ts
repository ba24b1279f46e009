import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operatorClient } from '../../../cli/operator-socket.js';
import type { Delivered, Peer, PeerActor } from '../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../kit/federation/trusted-loopback.js';
import { until } from '../../kit/time/until.js';
import { call, makePeople, type Person } from '../cluster/people.js';

/** Tests see an effect within this time. */
const SEEN_MS_MAX = 30_000;

let loopback: TrustedLoopback;
let server: SecureServer;
let peer: Peer;
let ada: Person;
let ann: PeerActor;
let annId: string;
before(async () => {
  loopback = await TrustedLoopback.open();
  peer = await loopback.peer();
  ann = peer.actor('ann');
  server = await loopback.server();
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
  annId = await known(ann);
});
after(async () => {
  await server?.dispose();
  await peer?.close();
  await loopback?.close();
});

interface Relation {
  readonly following: boolean;
  readonly requested: boolean;
  readonly followed_by: boolean;
}
// biome-ignore lint/suspicious/noExplicitAny: tests read into answers of every shape.
const get = (path: string): Promise<any> => call(server.url, ada, 'GET', path);
const post = (path: string, body?: object) =>
  call(server.url, ada, 'POST', `/api/v1/${path}`, body) as Promise<Relation>;
const seen = (what: string, condition: () => Promise<unknown>, ms = SEEN_MS_MAX) => until(what, condition, ms);
const adaUri = () => `${server.url}/users/ada`;
const send = (who: PeerActor, activity: object) => who.post(`${server.url}/inbox`, activity);
const relation = async (id: string): Promise<Relation> => (await get(`/api/v1/accounts/relationships?id[]=${id}`))[0];
const sentTo = (who: PeerActor, type: string): Delivered[] =>
  peer.delivered(type).filter(({ target }) => target === `/users/${who.name}/inbox`);

/** Lets somebody of the peer follow ada and leave again. Returns their id here. */
async function known(who: PeerActor): Promise<string> {
  const follow = who.activity('Follow', adaUri());
  assert.equal(await send(who, follow), 202);
  const followers = () => get(`/api/v1/accounts/${ada.id}/followers`) as Promise<{ id: string; acct: string }[]>;
  const found = await until(
    'a follower',
    async () => (await followers()).find(({ acct }) => acct === `${who.name}@${peer.host}`),
    SEEN_MS_MAX,
  );
  await seen('an Accept', async () => sentTo(who, 'Accept').length === 1);
  const [accept] = sentTo(who, 'Accept');
  assert.deepEqual(accept?.activity.object, { id: follow.id, type: 'Follow', actor: who.uri, object: adaUri() });
  assert.match(accept?.headers.signature ?? '', new RegExp(`keyId="${adaUri()}#main-key"`));
  assert.equal(await send(who, who.activity('Undo', follow)), 202);
  await seen('no follower', async () => (await followers()).length === 0);
  return found.id;
}

test('a follow of an unlocked person shows at once, waits for Accept, and ends with Undo of the same Follow', async () => {
  const answer = await post(`accounts/${annId}/follow`);
  assert.deepEqual([answer.following, answer.requested], [true, false]);
  await seen('a Follow', async () => sentTo(ann, 'Follow').length === 1);
  const { activity: follow } = sentTo(ann, 'Follow')[0] as Delivered;
  assert.deepEqual([follow.actor, follow.object], [adaUri(), ann.uri]);
  assert.deepEqual((await relation(annId)).requested, true);
  assert.equal(await send(ann, ann.activity('Accept', follow)), 202);
  await seen('a follow', async () => (await relation(annId)).following);
  await post(`accounts/${annId}/unfollow`);
  await seen('an Undo', async () => sentTo(ann, 'Undo').length === 1);
  assert.equal(sentTo(ann, 'Undo')[0]?.activity.object.id, follow.id);
});

test('a Reject ends the request', async () => {
  const bea = peer.actor('bea');
  const id = await known(bea);
  await post(`accounts/${id}/follow`);
  await seen('a Follow', async () => sentTo(bea, 'Follow').length === 1);
  assert.equal(await send(bea, bea.activity('Reject', sentTo(bea, 'Follow')[0]?.activity)), 202);
  await seen('no request', async () => !(await relation(id)).requested);
  assert.equal((await relation(id)).following, false);
});

test('an answer to a follow that was withdrawn does not settle the one after it, whatever the answer', async () => {
  const eva = peer.actor('eva');
  const id = await known(eva);
  await post(`accounts/${id}/follow`);
  await post(`accounts/${id}/unfollow`);
  await post(`accounts/${id}/follow`);
  await seen('two Follows', async () => sentTo(eva, 'Follow').length === 2);
  const [earlier, present] = sentTo(eva, 'Follow').map(({ activity }) => activity);
  assert.notEqual(earlier?.id, present?.id);
  for (const answer of ['Reject', 'Accept']) assert.equal(await send(eva, eva.activity(answer, earlier)), 202);
  assert.deepEqual([(await relation(id)).following, (await relation(id)).requested], [false, true]);
  assert.equal(await send(eva, eva.activity('Accept', present?.id)), 202);
  await seen('a follow', async () => (await relation(id)).following);
  assert.equal(await send(eva, eva.activity('Reject', earlier?.id)), 202);
  assert.equal((await relation(id)).following, true);
  // Servers that name the Follow by an id of their own mean the present one.
  assert.equal(await send(eva, eva.activity('Reject', { ...present, id: `${eva.uri}/follows/1` })), 202);
  await seen('no follow', async () => !(await relation(id)).following);
});

test('a person who locks the account answers remote followers one by one', async () => {
  const cat = peer.actor('cat');
  await known(cat);
  await call(server.url, ada, 'PATCH', '/api/v1/accounts/update_credentials', { locked: true });
  const requested = async () => (await get('/api/v1/follow_requests')) as { id: string }[];
  assert.equal(await send(cat, cat.activity('Follow', adaUri())), 202);
  const [one] = await until('a request', async () => (await requested()).length === 1 && requested(), SEEN_MS_MAX);
  assert.equal(sentTo(cat, 'Accept').length, 1);
  await post(`follow_requests/${one?.id}/authorize`);
  await seen('an Accept', async () => sentTo(cat, 'Accept').length === 2);
  await post(`accounts/${one?.id}/remove_from_followers`);
  await seen('a Reject', async () => sentTo(cat, 'Reject').length === 1);
  await call(server.url, ada, 'PATCH', '/api/v1/accounts/update_credentials', { locked: false });
});

test('a block ends the follow of the other, who gets Block and later its Undo', async () => {
  const dan = peer.actor('dan');
  const id = await known(dan);
  assert.equal(await send(dan, dan.activity('Follow', adaUri())), 202);
  await seen('a follower', async () => (await relation(id)).followed_by);
  await post(`accounts/${id}/block`);
  await seen('a Block', async () => sentTo(dan, 'Block').length === 1 && sentTo(dan, 'Reject').length === 1);
  assert.equal((await relation(id)).followed_by, false);
  assert.equal(await send(dan, dan.activity('Follow', adaUri())), 202);
  await seen('a Reject', async () => sentTo(dan, 'Reject').length === 2);
  await post(`accounts/${id}/unblock`);
  await seen('an Undo', async () => sentTo(dan, 'Undo').length === 1);
  assert.equal(sentTo(dan, 'Undo')[0]?.activity.object.id, sentTo(dan, 'Block')[0]?.activity.id);
});

test('a hidden domain gets a Reject for each of its followers', async () => {
  const fay = peer.actor('fay');
  const id = await known(fay);
  assert.equal(await send(fay, fay.activity('Follow', adaUri())), 202);
  await seen('a follower', async () => (await relation(id)).followed_by);
  await post('domain_blocks', { domain: peer.host });
  await seen('a Reject', async () => sentTo(fay, 'Reject').length === 1);
  await call(server.url, ada, 'DELETE', '/api/v1/domain_blocks', { domain: peer.host });
});

test('kill -9 while a server hangs loses nothing: it gets the same Follow after the restart', async () => {
  // An orderly stop completes the effects of the tests before this one: a node that is killed repeats its latest ones.
  assert.equal(await server.stop(), 0);
  await server.restart();
  const eve = peer.actor('eve');
  const id = await known(eve);
  peer.answer('/users/eve/inbox', 'hang');
  await post(`accounts/${id}/follow`);
  await seen('a Follow', async () => sentTo(eve, 'Follow').length === 1);
  await server.kill();
  peer.answer('/users/eve/inbox', { status: 202 });
  await server.restart();
  await seen('the Follow again', async () => sentTo(eve, 'Follow').length === 2);
  const [first, second] = sentTo(eve, 'Follow');
  assert.deepEqual(first?.activity, second?.activity);
  assert.equal((await relation(id)).requested, true);
});

test('a server that fails gets the activities later, in order', async () => {
  const gus = peer.actor('gus');
  const id = await known(gus);
  peer.answer('/users/gus/inbox', { status: 500 });
  await post(`accounts/${id}/follow`);
  await post(`accounts/${id}/unfollow`);
  await post(`accounts/${id}/follow`);
  await seen('a Follow', async () => sentTo(gus, 'Follow').length > 0);
  await post(`accounts/${annId}/follow`);
  await seen('a Follow to another inbox', async () => sentTo(ann, 'Follow').length === 2);
  const before = peer.delivered().length;
  peer.answer('/users/gus/inbox', { status: 202 });
  // two-servers.test.ts waits for the pauses.
  await operatorClient(server.dataDir)('federation.steer', { host: peer.host, act: 'retry' });
  await seen('both Follows', async () => sentTo(gus, 'Undo').length > 0 && sentTo(gus, 'Follow').length > 2);
  const after = peer.delivered().slice(before);
  assert.deepEqual(
    after.filter(({ target }) => target === '/users/gus/inbox').map(({ activity }) => activity.type),
    ['Follow', 'Undo', 'Follow'],
  );
});
