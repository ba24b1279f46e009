import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Document, Peer, type PeerActor } from '../../kit/federation/peer.js';
import { ServerProcess } from '../../kit/services/server-process.js';
import { until } from '../../kit/time/until.js';
import { call, makePeople, type Person } from '../cluster/people.js';

const SEEN_MS_MAX = 30_000;

let server: ServerProcess;
let home: Peer;
let away: Peer;
let ada: Person;
let ann: PeerActor;
let bob: PeerActor;

before(async () => {
  [home, away] = await Promise.all([Peer.open(), Peer.open()]);
  ann = home.actor('ann');
  bob = away.actor('bob');
  server = await ServerProcess.start({ FEDERATION_ALLOW_CIDRS: 'loopback' });
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
});
after(async () => {
  await server?.dispose();
  await Promise.all([home?.close(), away?.close()]);
});

const ask = (path: string, token = ada.token) =>
  fetch(`${server.url}/api/${path}`, { headers: token === '' ? {} : { authorization: `Bearer ${token}` } });
const get = (path: string) => call(server.url, ada, 'GET', `/api/${path}`) as Promise<Document>;
const resolved = async (uri: string) =>
  (await get(`v2/search?q=${encodeURIComponent(uri)}&resolve=true`)).statuses[0] as Document;
const descendants = async (id: string) =>
  (await get(`v1/statuses/${id}/context`)).descendants.map(({ content }: Document) => content);

/** Posts a note whose server lists these answers, on a second page from the second one on. */
function listing(who: PeerActor, content: string, answers: readonly string[], more: Document = {}): Document {
  const id = who.peer.uri('replies');
  const [first, ...rest] = answers;
  const page = { id: `${id}/2`, type: 'CollectionPage', partOf: id, items: rest };
  const items = first === undefined ? [] : [first];
  who.peer.serves(page);
  who.peer.serves({ id, type: 'Collection', first: { type: 'CollectionPage', next: page.id, partOf: id, items } });
  return who.note(content, { replies: id, ...more });
}

test('answers that nobody sent here are fetched when a thread is read', async () => {
  const [one, two, three] = [away.uri('one'), away.uri('two'), away.uri('three')];
  const root = listing(ann, '<p>root</p>', [one, two]);
  const answer = (id: string, content: string, to: string, answers: readonly string[] = []) =>
    away.serves({ ...listing(bob, content, answers, { inReplyTo: to }), id, url: id });
  answer(one, '<p>one</p>', root.id);
  answer(two, '<p>two</p>', root.id, [three]);
  answer(three, '<p>three</p>', two);
  const { id } = await resolved(root.id);
  const guest = await ask(`v1/statuses/${id}/context`, '');
  assert.equal(guest.headers.get('mastodon-async-refresh'), null);
  const begun = await ask(`v1/statuses/${id}/context`);
  const [, refresh = ''] = /^id="([^"]+)", retry=\d+/.exec(begun.headers.get('mastodon-async-refresh') ?? '') ?? [];
  assert.notEqual(refresh, '');
  const state = async () => (await get(`v1_alpha/async_refreshes/${refresh}`)).async_refresh as Document;
  await until('the end', async () => (await state()).status === 'finished', SEEN_MS_MAX);
  assert.equal((await state()).result_count, 3);
  await until('three answers', async () => (await descendants(id)).length === 3, SEEN_MS_MAX);
  assert.deepEqual((await descendants(id)).toSorted(), ['<p>one</p>', '<p>three</p>', '<p>two</p>']);
  const collection = new URL(root.replies).pathname;
  assert.equal(home.asked(collection).length, 1, 'a thread is refreshed every 15 min');
  assert.equal((await ask('v1_alpha/async_refreshes/x')).status, 404);
});

test('hostile lists of answers bring nothing that is not an answer', async () => {
  const victim = away.uri('notes');
  away.serves({ ...bob.note('<p>elsewhere</p>'), id: victim, url: victim });
  const forged = home.uri('forged');
  home.serves({ id: forged, type: 'Note', attributedTo: bob.uri, content: '<p>forged</p>', to: [] });
  const root = listing(ann, '<p>hostile</p>', [victim, forged, 'javascript:x', `${server.url}/users/ada`]);
  const loop = home.uri('loop');
  home.serves({ id: loop, type: 'Collection', next: loop, items: Array.from({ length: 900 }, () => forged) });
  const second = ann.note('<p>loop</p>', { replies: loop });
  const third = ann.note('<p>foreign</p>', { replies: `${away.url}/replies/foreign` });
  for (const { id: uri } of [root, second, third]) {
    const { id } = await resolved(uri);
    const header = (await ask(`v1/statuses/${id}/context`)).headers.get('mastodon-async-refresh') ?? '';
    const [, refresh = ''] = /^id="([^"]+)"/.exec(header) ?? [];
    const isOver = async () => (await get(`v1_alpha/async_refreshes/${refresh}`)).async_refresh.status === 'finished';
    if (refresh !== '') await until('the end', isOver, SEEN_MS_MAX);
    assert.deepEqual(await descendants(id), []);
  }
  assert.equal(home.asked(new URL(loop).pathname).length, 1);
  assert.equal(away.asked('/replies/foreign').length, 0);
});
