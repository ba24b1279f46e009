import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Document, Peer, PeerActor } from '../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../kit/federation/trusted-loopback.js';
import { until } from '../../kit/time/until.js';
import { call, makePeople, type Person } from '../cluster/people.js';

/** Tests see an effect within this time; an activity that waits for a fetch is repeated after 15 to 30 s. */
const SEEN_MS_MAX = 60_000;

let loopback: TrustedLoopback;
let server: SecureServer;
let peer: Peer;
let other: Peer;
let ada: Person;
let ann: PeerActor;
before(async () => {
  loopback = await TrustedLoopback.open();
  [peer, other] = await Promise.all([loopback.peer(), loopback.peer()]);
  ann = peer.actor('ann');
  server = await loopback.server();
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
});
after(async () => {
  await server?.dispose();
  await Promise.all([peer?.close(), other?.close()]);
  await loopback?.close();
});

// biome-ignore lint/suspicious/noExplicitAny: tests read into answers of every shape.
const get = (path: string): Promise<any> => call(server.url, ada, 'GET', `/api/v1/${path}`);
const home = (): Promise<Document[]> => get('timelines/home');
const send = (activity: object, by = ann) => by.post(`${server.url}/inbox`, activity);
const seen = <T>(what: string, condition: () => Promise<T>) => until(what, condition, SEEN_MS_MAX);
const inHome = (uri: string) => async () => (await home()).find((status) => status.uri === uri);
const adaUri = () => `${server.url}/users/ada`;

test('statuses of a followed account reach home, change and go', async () => {
  const [found] = (await get(`accounts/search?q=ann@${peer.host}&resolve=true`)) as [{ id: string }];
  assert.ok(found);
  await call(server.url, ada, 'POST', `/api/v1/accounts/${found.id}/follow`);
  const [follow] = await peer.gets('Follow');
  assert.equal(await send(ann.activity('Accept', follow?.activity)), 202);
  await seen('the follow', async () => (await get(`accounts/relationships?id[]=${found.id}`))[0].following === true);
  const note = ann.note('<p>hello</p><script>1</script>');
  for (let times = 0; times < 2; times++) assert.equal(await send(ann.activity('Create', note)), 202);
  const status = await seen('the status', inHome(note.id));
  assert.equal(status?.content, '<p>hello</p>');
  assert.equal((await home()).length, 1);
  const edited = { ...note, content: '<p>better</p>', updated: new Date(Date.now() + 1_000).toISOString() };
  assert.equal(await send(ann.activity('Update', edited)), 202);
  await seen('the edit', async () => (await inHome(note.id)())?.content === '<p>better</p>');
  // Somebody else on the same server neither changes nor deletes it.
  const mate = peer.actor('mate');
  assert.equal(await send(mate.activity('Update', { ...edited, content: 'x' }), mate), 202);
  assert.equal(await send(mate.activity('Delete', note.id), mate), 202);
  assert.equal((await inHome(note.id)())?.content, '<p>better</p>');
  assert.equal(await send(ann.activity('Delete', { id: note.id, type: 'Tombstone' })), 202);
  await seen('no status', async () => (await home()).length === 0);
  assert.equal(await send(ann.activity('Create', note)), 202);
  assert.equal((await home()).length, 0);
});

test('statuses that arrive before the Accept wait for it, and for nobody after a Reject', async () => {
  const [dot, eve] = [peer.actor('dot'), peer.actor('eve')];
  const [publicly, privately] = [dot.note('first'), dot.note('second', { to: dot.document.followers })];
  const refused = eve.note('third', { to: eve.document.followers });
  const follows = new Map<PeerActor, Document>();
  for (const one of [dot, eve]) {
    const [found] = (await get(`accounts/search?q=${one.name}@${peer.host}&resolve=true`)) as [{ id: string }];
    await call(server.url, ada, 'POST', `/api/v1/accounts/${found.id}/follow`);
    const follow = await seen('a Follow', async () =>
      peer.delivered('Follow').find(({ activity }) => activity.object === one.uri),
    );
    follows.set(one, follow?.activity as Document);
  }
  for (const note of [publicly, privately]) assert.equal(await send(dot.activity('Create', note), dot), 202);
  assert.equal(await send(eve.activity('Create', refused), eve), 202);
  assert.deepEqual(await home(), []);
  assert.equal(await send(dot.activity('Accept', follows.get(dot)), dot), 202);
  assert.equal(await send(eve.activity('Reject', follows.get(eve)), eve), 202);
  for (const note of [publicly, privately]) await seen('a status in home', inHome(note.id));
  const found = async () => (await get(`accounts/lookup?acct=eve@${peer.host}`)) as { id: string };
  const { id } = await found();
  await seen('no request', async () => (await get(`accounts/relationships?id[]=${id}`))[0].requested === false);
  assert.equal((await home()).length, 2);
  assert.deepEqual(await get(`accounts/${id}/statuses`), []);
  for (const note of [publicly, privately]) assert.equal(await send(dot.activity('Delete', note.id), dot), 202);
  await seen('an empty home', async () => (await home()).length === 0);
});

test('a stranger who mentions somebody is read, and one who does not is not', async () => {
  const ben = other.actor('ben');
  const quiet = ben.note('nothing');
  assert.equal(await send(ben.activity('Create', quiet), ben), 202);
  const tag = [{ type: 'Mention', href: adaUri(), name: '@ada' }];
  const loud = ben.note('<p>@ada hi</p>', { cc: [adaUri()], tag });
  assert.equal(await send(ben.activity('Create', loud), ben), 202);
  const mentions = () => get('notifications?types[]=mention') as Promise<{ status: Document }[]>;
  await seen('a mention', async () => (await mentions()).length > 0);
  const [mention] = await mentions();
  assert.equal(mention?.status.uri, loud.id);
  assert.equal(mention?.status.visibility, 'public');
  assert.deepEqual(
    (await get(`search?q=${encodeURIComponent(quiet.id)}`).catch(() => ({ statuses: [] }))).statuses,
    [],
  );
});

test('a reblog whose status must be fetched survives kill -9, and an outage of that server', async () => {
  const cleo = other.actor('cleo');
  const note = cleo.note('<p>from elsewhere</p>');
  const path = new URL(note.id).pathname;
  other.answer(path, 'hang');
  // An embedded copy is not believed.
  const forged = { ...note, content: 'forged' };
  assert.equal(await send(ann.activity('Announce', forged, { to: ann.document.followers })), 202);
  await seen('the fetch', async () => other.asked(path).length > 0);
  await server.kill();
  other.answer(path, { status: 200, body: note });
  await server.restart();
  const reblog = await seen('the reblog', async () => (await home()).find((status) => status.reblog !== null));
  assert.equal(reblog?.reblog.content, '<p>from elsewhere</p>');
  assert.equal(reblog?.account.acct, `ann@${peer.host}`);
});

test('a deleted account goes with its statuses, and nothing of it returns', async () => {
  const note = ann.note('last words');
  assert.equal(await send(ann.activity('Create', note)), 202);
  await seen('the status', inHome(note.id));
  assert.equal(await send(ann.activity('Delete', ann.uri)), 202);
  await seen('an empty home', async () => (await home()).length === 0);
  assert.equal(await send(ann.activity('Create', ann.note('back again'))), 202);
  assert.equal((await home()).length, 0);
});

test('none of it caused an error on the server', () => {
  const errors = server.log.split('\n').filter((line) => /"level":(?:50|60)/.test(line));
  assert.deepEqual(errors, []);
});
