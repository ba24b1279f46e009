import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Document, Peer, PeerActor } from '../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../kit/federation/trusted-loopback.js';
import { until } from '../../kit/time/until.js';
import { call, makePeople, type Person } from '../cluster/people.js';

const SEEN_MS_MAX = 30_000;
const DAY_MS = 86_400_000;

let loopback: TrustedLoopback;
let server: SecureServer;
let peer: Peer;
let other: Peer;
let ada: Person;

before(async () => {
  loopback = await TrustedLoopback.open();
  [peer, other] = await Promise.all([loopback.peer(), loopback.peer()]);
  server = await loopback.server();
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
});
after(async () => {
  await server?.dispose();
  await Promise.all([peer?.close(), other?.close()]);
  await loopback?.close();
});

const get = (path: string) => call(server.url, ada, 'GET', `/api/${path}`) as Promise<Document>;
const idOf = async (who: PeerActor) =>
  (await get(`v2/search?q=${encodeURIComponent(who.uri)}&resolve=true`)).accounts[0].id as string;
const shown = async (id: string, query = '') =>
  ((await get(`v1/accounts/${id}/statuses${query}`)) as unknown as Document[]).map(({ content }) => content);
const agoMs = (ms: number) => ({ published: new Date(Date.now() - ms).toISOString() });

/** Serves the outbox of somebody, the newest status first, and their pinned statuses. */
function publishes(who: PeerActor, notes: readonly Document[], pinned: readonly unknown[]): void {
  const { outbox, featured } = who.document;
  const orderedItems = notes.map((note) => who.activity('Create', note, { published: note.published }));
  peer.serves({ id: outbox, type: 'OrderedCollection', first: `${outbox}/1` });
  peer.serves({ id: `${outbox}/1`, type: 'OrderedCollectionPage', partOf: outbox, orderedItems });
  peer.serves({ id: featured, type: 'OrderedCollection', orderedItems: pinned });
}

test('pinned and latest statuses are fetched when somebody looks at a profile, once', async () => {
  const ann = peer.actor('ann');
  const notes = [1, 2, 3].map((days) => ann.note(`<p>${days} days ago</p>`, agoMs(days * DAY_MS)));
  const pinned = ann.note('<p>pinned</p>', agoMs(90 * DAY_MS));
  publishes(ann, notes, [pinned]);
  const id = await idOf(ann);
  assert.equal(peer.asked(new URL(ann.document.outbox).pathname).length, 0);
  await (await fetch(`${server.url}/api/v1/accounts/${id}/statuses`)).arrayBuffer();
  await until('four statuses', async () => (await shown(id)).length === 4, SEEN_MS_MAX);
  assert.deepEqual(await shown(id), [...notes.map(({ content }) => content), '<p>pinned</p>']);
  assert.deepEqual(await shown(id, '?pinned=true'), ['<p>pinned</p>']);
  assert.equal(peer.asked(new URL(ann.document.outbox).pathname).length, 1);
});

test('featured accounts are fetched when somebody looks at a profile, and local ones are found', async () => {
  const fay = peer.actor('fay', { featuredAccounts: `${peer.url}/users/fay/accounts` });
  const gus = other.actor('gus');
  publishes(fay, [fay.note('<p>hello</p>')], []);
  const items = [`${server.url}/users/ada`, 7, `${other.url}/users/nobody`, `${server.url}/users/nobody`, gus.uri];
  peer.serves({ id: fay.document.featuredAccounts, type: 'Collection', items });
  const id = await idOf(fay);
  await shown(id);
  const featured = async () =>
    ((await get(`v1/accounts/${id}/endorsements`)) as unknown as Document[]).map(({ acct }) => acct);
  await until('two featured accounts', async () => (await featured()).length === 2, SEEN_MS_MAX);
  assert.deepEqual(await featured(), ['ada', `gus@${other.host}`]);
});

test('hostile outboxes and pins bring no statuses of others and no old ones above new ones', async () => {
  const eve = peer.actor('eve');
  const bob = other.actor('bob');
  const cat = peer.actor('cat');
  const theirs = [bob.note('<p>of bob</p>'), cat.note('<p>of cat</p>')];
  const forged = { id: other.uri('forged'), type: 'Note', attributedTo: bob.uri, content: '<p>forged</p>', to: [] };
  publishes(eve, [...theirs, forged, eve.note('<p>own</p>')], [...theirs, forged, 7, 'x', { type: 'Note' }]);
  const id = await idOf(eve);
  await shown(id);
  await until('own status', async () => (await shown(id)).includes('<p>own</p>'), SEEN_MS_MAX);
  assert.deepEqual(await shown(id), ['<p>own</p>']);
  assert.deepEqual(await shown(id, '?pinned=true'), []);
  assert.equal(other.received.filter(({ target }) => target.startsWith('/notes/')).length, 0);
});
