import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Peer, PeerActor } from '../../kit/federation/peer.js';
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
before(async () => {
  loopback = await TrustedLoopback.open();
  peer = await loopback.peer();
  ann = peer.actor('ann');
  server = await loopback.server();
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
});
after(async () => {
  await server?.dispose();
  await peer?.close();
  await loopback?.close();
});

// biome-ignore lint/suspicious/noExplicitAny: tests read into answers of every shape.
const get = (path: string): Promise<any> => call(server.url, ada, 'GET', path);
const post = (path: string, body?: object) =>
  call(server.url, ada, 'POST', `/api/v1/${path}`, body) as Promise<{ id: string; uri: string }>;
const seen = (what: string, condition: () => Promise<unknown>) => until(what, condition, SEEN_MS_MAX);
const adaUri = () => `${server.url}/users/ada`;
const send = (activity: object, who = ann) => who.post(`${server.url}/inbox`, activity);
const notices = async (type: string): Promise<{ account: { acct: string }; status?: { id: string } }[]> =>
  get(`/api/v1/notifications?types[]=${type}`);

test('somebody of another server follows, unfollows and follows again', async () => {
  const followers = async () =>
    (await get(`/api/v1/accounts/${ada.id}/followers`)).map((one: { acct: string }) => one.acct);
  const follow = ann.activity('Follow', adaUri());
  assert.equal(await send(follow), 202);
  await seen('a follower', async () => (await followers()).includes(`ann@${peer.host}`));
  await seen('a notification', async () => (await notices('follow')).length === 1);
  assert.equal((await notices('follow'))[0]?.account.acct, `ann@${peer.host}`);
  assert.equal(await send(ann.activity('Undo', follow)), 202);
  await seen('no follower', async () => (await followers()).length === 0);
  // The first Follow arrives once more, as if it had been late.
  assert.equal(await send(follow), 202);
  assert.equal(await ann.post(`${adaUri()}/inbox`, ann.activity('Follow', adaUri())), 202);
  await seen('a follower again', async () => (await followers()).length === 1);
  assert.equal((await get(`/api/v1/accounts/${ada.id}`)).followers_count, 1);
});

test('a status is favourited, reblogged and voted on from another server, each once', async () => {
  const status = await post('statuses', { status: 'hello' });
  const poll = await post('statuses', { status: 'which?', poll: { options: ['a', 'b'], expires_in: 600 } });
  const counts = async () => {
    const { favourites_count: favourites, reblogs_count: reblogs } = await get(`/api/v1/statuses/${status.id}`);
    return `${favourites} ${reblogs}`;
  };
  const like = ann.activity('Like', status.uri);
  const announce = ann.activity('Announce', status.uri, { to: ['https://www.w3.org/ns/activitystreams#Public'] });
  for (const activity of [like, like, announce, announce]) assert.equal(await send(activity), 202);
  await seen('one favourite and one reblog', async () => (await counts()) === '1 1');
  await seen('notifications', async () => (await notices('favourite')).length + (await notices('reblog')).length === 2);
  const vote = (name: string) => {
    const note = {
      id: peer.uri('votes'),
      type: 'Note',
      attributedTo: ann.uri,
      name,
      inReplyTo: poll.uri,
      to: adaUri(),
    };
    return send(ann.activity('Create', note, { to: adaUri() }));
  };
  for (const name of ['b', 'a', 'b', 'nonsense']) assert.equal(await vote(name), 202);
  const votes = async () =>
    (await get(`/api/v1/statuses/${poll.id}`)).poll.options.map((one: { votes_count: number }) => one.votes_count);
  await seen('one vote', async () => (await votes()).join() === '0,1');
  for (const undone of [like, announce]) assert.equal(await send(ann.activity('Undo', undone)), 202);
  await seen('no mark', async () => (await counts()) === '0 0');
  // Undone activities that arrive again, and one whose undoing came first, have no effect.
  const late = ann.activity('Like', status.uri);
  assert.equal(await send(ann.activity('Undo', late)), 202);
  for (const activity of [like, announce, late]) assert.equal(await send(activity), 202);
  assert.equal(await counts(), '0 0');
});

test('an activity that was answered with 202 survives kill -9', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 10; index++) ids.push((await post('statuses', { status: `status ${index}` })).uri);
  for (const uri of ids) assert.equal(await send(ann.activity('Like', uri)), 202);
  await server.kill();
  await server.restart();
  for (const uri of ids) {
    const id = uri.split('/').at(-1);
    assert.equal((await get(`/api/v1/statuses/${id}`)).favourites_count, 1);
  }
});

test('a block of another server ends the follow, and a report of it reaches moderators', async () => {
  assert.equal(await send(ann.activity('Block', adaUri())), 202);
  await seen('no follower', async () => (await get(`/api/v1/accounts/${ada.id}`)).followers_count === 0);
  const status = await post('statuses', { status: 'reported' });
  assert.equal(await send(ann.activity('Flag', [adaUri(), status.uri], { content: 'spam' })), 202);
});

test('a key that its actor has replaced is fetched, and other signatures are refused', async () => {
  const ben = peer.actor('ben');
  const other = peer.actor('other');
  assert.equal(await send(ben.activity('Follow', adaUri()), ben), 202);
  // Ben's request, signed with another's key under the name of Ben's.
  const forged = ben.activity('Undo', ben.activity('Follow', adaUri()));
  const { headers, body } = other.signed(`${server.url}/inbox`, forged);
  const signature = headers.signature?.replace(other.keyId, ben.keyId) ?? '';
  const response = await fetch(`${server.url}/inbox`, { method: 'POST', headers: { ...headers, signature }, body });
  assert.equal(response.status, 401);
  assert.equal(await send(forged, other), 403);
});

test('none of it caused an error on the server', () => {
  assert.deepEqual(
    server.log.split('\n').filter((line) => /"level":(?:50|60)/.test(line)),
    [],
  );
});
