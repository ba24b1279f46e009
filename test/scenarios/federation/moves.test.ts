import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operatorClient } from '../../../cli/operator-socket.js';
import type { Peer, PeerActor } from '../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../kit/federation/trusted-loopback.js';
import { until } from '../../kit/time/until.js';
import { call, makePeople, type Person } from '../cluster/people.js';

const SEEN_MS_MAX = 30_000;
// biome-ignore lint/suspicious/noExplicitAny: tests read into answers of every shape.
type Answer = any;

let loopback: TrustedLoopback;
let [here, there]: SecureServer[] = [];
let peer: Peer;
/** People of the first server, and of the second one. */
let [ann, fan, guard]: Person[] = [];
let [ben, eve]: Person[] = [];
before(async () => {
  loopback = await TrustedLoopback.open();
  peer = await loopback.peer();
  [here, there] = await Promise.all([loopback.server(), loopback.server()]);
  [ann, fan, guard] = await makePeople(here.dataDir, ['ann', 'fan', 'guard']);
  [ben, eve] = await makePeople(there.dataDir, ['ben', 'eve']);
  // A server that has just started may refuse activities for a moment, and its peers then pause.
  const first = peer.actor('first');
  for (const { url } of [here, there])
    await seen('an open inbox', async () => (await first.post(`${url}/inbox`, first.activity('Like', url))) === 202);
});
after(async () => {
  await Promise.all([here?.dispose(), there?.dispose(), peer?.close()]);
  await loopback?.close();
});

const ask = (server: SecureServer, person: Person, method: string, path: string, body?: object): Promise<Answer> =>
  call(server.url, person, method, `/api/v1/${path}`, body);
const seen = (what: string, condition: () => Promise<unknown>) => until(what, condition, SEEN_MS_MAX);
const operate = (server: SecureServer) => operatorClient(server.dataDir);
const hostOf = (server: SecureServer) => new URL(server.url).host;
const idOf = async (server: SecureServer, person: Person, acct: string): Promise<string> =>
  (await ask(server, person, 'POST', 'follows', { uri: acct })).id;
const relation = async (server: SecureServer, person: Person, id: string) =>
  (await ask(server, person, 'GET', `accounts/relationships?id[]=${id}`))[0];
const document = async (url: string): Promise<Answer> =>
  (await fetch(url, { headers: { accept: 'application/activity+json' } })).json();

test('an account moves to another server with its followers of both servers, and posts no more', async () => {
  const [one, two] = [here as SecureServer, there as SecureServer];
  const [mover, follower, target, distant] = [ann, fan, ben, eve] as Person[] as [Person, Person, Person, Person];
  const acct = `ben@${hostOf(two)}`;
  const { id: written } = await ask(one, mover, 'POST', 'statuses', { status: 'before the move' });
  await ask(one, follower, 'POST', `accounts/${mover.id}/follow`, { languages: ['de', 'en'] });
  const annThere = await idOf(two, distant, `ann@${hostOf(one)}`);
  await seen('a follower of the other server', async () => (await relation(two, distant, annThere)).following);

  await operate(two)('account.alias', { username: 'ben', add: `ann@${hostOf(one)}` });
  assert.deepEqual((await document(`${two.url}/users/ben`)).alsoKnownAs, [`${one.url}/users/ann`]);
  const moved = await operate(one)('account.move', { username: 'ann', to: acct });
  assert.equal(moved.movedTo, `${two.url}/users/ben`);

  const benHere = await idOf(one, guard as Person, acct);
  await seen('the local follower there', async () => (await relation(one, follower, benHere)).following);
  await seen('no follower here', async () => !(await relation(one, follower, mover.id)).following);
  await seen('the distant follower', async () => (await relation(two, distant, target.id)).following);
  await seen('no distant follower', async () => !(await relation(two, distant, annThere)).following);
  const followers = async () =>
    (await ask(two, target, 'GET', `accounts/${target.id}/followers`)) as { acct: string }[];
  await seen('both followers', async () => {
    const names = (await followers()).map((one) => one.acct).sort();
    return names.includes('eve') && names.includes(`fan@${hostOf(one)}`);
  });

  assert.equal((await ask(one, follower, 'GET', `accounts/${mover.id}`)).moved.acct, acct);
  assert.equal((await ask(two, distant, 'GET', `accounts/${annThere}`)).moved.acct, 'ben');
  assert.equal((await ask(one, mover, 'GET', 'accounts/verify_credentials')).moved.acct, acct);
  const [listed] = await ask(one, follower, 'GET', `accounts?id[]=${mover.id}`);
  const [found] = (await ask(one, follower, 'GET', 'accounts/search?q=ann')) as Answer[];
  assert.deepEqual([listed.moved.acct, found.moved.acct], [acct, acct]);
  assert.equal((await document(`${one.url}/users/ann`)).movedTo, `${two.url}/users/ben`);
  assert.deepEqual((await relation(one, follower, benHere)).languages, ['de', 'en']);
  await assert.rejects(ask(one, mover, 'POST', 'statuses', { status: 'still here' }), /403.*has moved/);
  await assert.rejects(ask(one, mover, 'PUT', `statuses/${written}`, { status: 'changed' }), /403.*has moved/);
  await assert.rejects(ask(one, mover, 'POST', `statuses/${written}/reblog`), /403.*has moved/);
});

test('a move that has ended lets the account post, and a second move is refused for 30 days', async () => {
  const one = here as SecureServer;
  await operate(one)('account.move', { username: 'ann' });
  await ask(one, ann as Person, 'POST', 'statuses', { status: 'back' });
  assert.equal((await ask(one, fan as Person, 'GET', `accounts/${ann?.id}`)).moved, undefined);
  await operate(one)('account.alias', { username: 'guard', add: 'ann' });
  await assert.rejects(operate(one)('account.move', { username: 'ann', to: 'guard' }), /in the last 30 days/);
});

test('a move needs the consent of the other account, and nobody moves to themselves', async () => {
  const one = here as SecureServer;
  const run = operate(one);
  await assert.rejects(run('account.move', { username: 'fan', to: 'guard' }), /does not name/);
  await run('account.alias', { username: 'fan', add: 'fan' });
  await assert.rejects(run('account.move', { username: 'fan', to: 'fan' }), /to itself/);
  assert.deepEqual(await run('account.alias', { username: 'fan', remove: 'fan' }), { aliases: [] });
  await assert.rejects(run('account.move', { username: 'nobody', to: 'fan' }), /no account nobody/);
});

/** Makes actors of the peer, of which fan follows the first. Returns the id of the first one here. */
async function followed(old: PeerActor): Promise<string> {
  const id = await idOf(here as SecureServer, fan as Person, `${old.name}@${peer.host}`);
  const [{ activity: follow }] = (await peer
    .gets('Follow')
    .then((all) => all.filter(({ activity }) => activity.object === old.uri))) as [Answer];
  assert.equal(await send(old, old.activity('Accept', follow)), 202);
  await seen('a follow', async () => (await relation(here as SecureServer, fan as Person, id)).following);
  return id;
}
/** Sends an activity again while the server is too busy for it, as other servers do. */
const send = (who: PeerActor, activity: object): Promise<number> =>
  until(
    'an answer',
    async () => {
      const status = await who.post(`${here?.url}/inbox`, activity);
      return status !== 503 && status;
    },
    SEEN_MS_MAX,
  );

test('moves of other servers count only with the consent of the target, and end at the first step', async () => {
  const one = here as SecureServer;
  const old = peer.actor('old');
  const oldId = await followed(old);
  const unmoved = async () => {
    const { moved } = await ask(one, fan as Person, 'GET', `accounts/${oldId}`);
    return moved === undefined && (await relation(one, fan as Person, oldId)).following;
  };
  const key = { privateKey: old.key.privateKey, publicKeyPem: old.document.publicKey.publicKeyPem };
  const strange = peer.actor('strange', {}, key);
  const chained = peer.actor('chained', { alsoKnownAs: [old.uri], movedTo: strange.uri }, key);
  const looped = peer.actor('looped', { alsoKnownAs: [old.uri], movedTo: old.uri }, key);
  const agreed = peer.actor('agreed', { alsoKnownAs: [old.uri, 'https://v.example/users/x'] }, key);
  for (const target of [
    strange.uri,
    chained.uri,
    looped.uri,
    old.uri,
    `${one.url}/users/fan`,
    `${peer.url}/users/nobody`,
    7,
  ])
    assert.equal(await send(old, old.activity('Move', old.uri, { target })), 202);
  // Somebody else cannot move the account, nor can the target take it.
  assert.equal(await send(agreed, agreed.activity('Move', old.uri, { target: agreed.uri })), 202);
  assert.ok(await unmoved());

  assert.equal(await send(old, old.activity('Move', old.uri, { target: agreed.uri })), 202);
  await seen('a Follow of the target', async () =>
    peer.delivered('Follow').some((one) => one.activity.object === agreed.uri),
  );
  await seen(
    'the mark',
    async () => (await ask(one, fan as Person, 'GET', `accounts/${oldId}`)).moved?.acct === `agreed@${peer.host}`,
  );
  await seen('an Undo', async () => peer.delivered('Undo').some(({ activity }) => activity.object.object === old.uri));
  // A second move within a week has no effect.
  const late = peer.actor('late', { alsoKnownAs: [old.uri] }, key);
  assert.equal(await send(old, old.activity('Move', old.uri, { target: late.uri })), 202);
  // An activity of the same host later in line shows that the move was carried out.
  await seen('a fetch of the target', async () => peer.asked('/users/late').length > 0);
  assert.equal((await ask(one, fan as Person, 'GET', `accounts/${oldId}`)).moved.acct, `agreed@${peer.host}`);
  assert.ok(!peer.delivered('Follow').some(({ activity }) => activity.object === late.uri));
});
