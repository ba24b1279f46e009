import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readBlocks } from '../../../actors/domain/servers/block-list.js';
import { operatorClient } from '../../../cli/operator-socket.js';
import type { Document, Peer, PeerActor } from '../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../kit/federation/trusted-loopback.js';
import { until } from '../../kit/time/until.js';
import { call, makePeople, type Person } from '../cluster/people.js';

const SEEN_MS_MAX = 30_000;

let loopback: TrustedLoopback;
let server: SecureServer;
let home: Peer;
let away: Peer;
let ada: Person;
let ann: PeerActor;
let bob: PeerActor;

before(async () => {
  loopback = await TrustedLoopback.open();
  [home, away] = await Promise.all([loopback.peer(), loopback.peer()]);
  ann = home.actor('ann');
  bob = away.actor('bob');
  server = await loopback.server();
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
});
after(async () => {
  await server?.dispose();
  await Promise.all([home?.close(), away?.close()]);
  await loopback?.close();
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

/** Returns the texts above a status. */
const ancestors = async (uri: string) =>
  (await get(`v1/statuses/${(await resolved(uri)).id}/context`)).ancestors.map(({ content }: Document) => content);

test('a reply shows what it answers once that has arrived, through eight threads', async () => {
  const cat = away.actor('cat');
  const { accounts } = await get(`v2/search?q=${encodeURIComponent(cat.uri)}&resolve=true`);
  await call(server.url, ada, 'POST', `/api/v1/accounts/${accounts[0].id}/follow`);
  const [follow] = await away.gets('Follow');
  assert.equal(await cat.post(`${server.url}/inbox`, cat.activity('Accept', follow?.activity)), 202);
  const ids = Array.from({ length: 10 }, () => away.uri('grafted'));
  const missing = { status: 503 };
  const noteOf = (index: number) => {
    const more = index === 0 ? {} : { inReplyTo: ids[index - 1] };
    return { ...cat.note(`<p>${index}</p>`, more), id: ids[index] };
  };
  for (const id of ids) away.answer(new URL(id).pathname, missing);
  // Each arrives before the one that it answers, whose server does not answer.
  for (let index = ids.length - 1; index >= 0; index--) {
    assert.equal(await cat.post(`${server.url}/inbox`, cat.activity('Create', noteOf(index))), 202);
    await until(
      `status ${index}`,
      async () => (await resolved(ids[index] ?? '')) !== undefined || undefined,
      SEEN_MS_MAX,
    );
  }
  assert.deepEqual(await ancestors(ids[0] ?? ''), []);
  assert.deepEqual(await ancestors(ids[3] ?? ''), ['<p>0</p>', '<p>1</p>', '<p>2</p>']);
  const eight = Array.from({ length: 8 }, (_, index) => `<p>${index + 1}</p>`);
  assert.deepEqual(await ancestors(ids[9] ?? ''), eight);
  // The last is the first status of the eighth thread's graft.
  const first = (await resolved(ids[0] ?? '')).id;
  await until('all below', async () => (await descendants(first)).length === 9, SEEN_MS_MAX);
  assert.deepEqual(await descendants(first), [...eight, '<p>9</p>']);
  const shown = await Promise.all(ids.map((id) => resolved(id)));
  for (const [index, { in_reply_to_id: parent, in_reply_to_account_id: author }] of shown.slice(1).entries())
    assert.deepEqual([parent, author], [shown[index]?.id, accounts[0].id]);
  assert.deepEqual(
    shown.map(({ replies_count: count }) => count),
    [...Array.from({ length: 9 }, () => 1), 0],
  );
  // A muted reply mutes what is above it, and thereby all that joins later.
  const isMuted = async () => [
    (await get(`v1/statuses/${shown[5]?.id}`)).muted,
    (await get(`v1/statuses/${first}`)).muted,
  ];
  for (const [verb, muted] of [
    ['mute', true],
    ['unmute', false],
  ] as const) {
    await call(server.url, ada, 'POST', `/api/v1/statuses/${shown[8]?.id}/${verb}`);
    assert.deepEqual(await isMuted(), [muted, muted]);
  }
  const path = `/@${shown[0]?.account.acct}/${first}`;
  const page = await (await fetch(server.url + path, { headers: { accept: 'text/html' } })).text();
  for (const text of [...eight, '<p>9</p>']) assert.ok(page.includes(text), text);
});

/** Sends a note that names ada, whose own server does not answer. Resolves when it is stored here. */
async function sends(who: PeerActor, content: string, more: Document = {}): Promise<string> {
  const tag = [{ type: 'Mention', href: `${server.url}/users/ada`, name: '@ada' }];
  const note = who.note(`<p>${content}</p>`, { tag, ...more });
  who.peer.answer(new URL(note.id).pathname, { status: 503 });
  assert.equal(await who.post(`${server.url}/inbox`, who.activity('Create', note)), 202);
  await until(content, async () => (await resolved(note.id)) !== undefined || undefined, SEEN_MS_MAX);
  return note.id;
}
/** Returns the texts above or below a status, as a guest sees them. */
const seenByGuests = async (id: string, side: 'ancestors' | 'descendants') => {
  const context = (await (await ask(`v1/statuses/${id}/context`, '')).json()) as Document;
  return context[side].map(({ content }: Document) => content);
};

test('replies to a late status of a third server show to those who may see them', async () => {
  const third = await loopback.peer();
  const [cleo, mallory, zoe] = [home.actor('cleo'), away.actor('mallory'), third.actor('zoe')];
  const inReplyTo = home.uri('late');
  await sends(bob, 'public', { inReplyTo });
  await sends(bob, 'direct', { inReplyTo, to: [`${server.url}/users/ada`], cc: [] });
  const unwanted = await sends(mallory, 'unwanted', { inReplyTo });
  await sends(zoe, 'suspended', { inReplyTo });
  const { account } = await resolved(unwanted);
  const late = await sends(cleo, 'late', { id: inReplyTo, url: inReplyTo });
  const { id } = await resolved(late);
  await until('all replies', async () => (await descendants(id)).length === 4, SEEN_MS_MAX);
  const [open, closed, blocked] = ['<p>public</p>', '<p>direct</p>', '<p>unwanted</p>'];
  assert.deepEqual(await descendants(id), [open, closed, blocked, '<p>suspended</p>']);
  assert.deepEqual((await resolved(late)).replies_count, 3);
  await operatorClient(server.dataDir)('federation.block', { blocks: readBlocks(`${third.host},suspend`) });
  await until('the suspension', async () => (await descendants(id)).length === 3, SEEN_MS_MAX);
  assert.deepEqual(await seenByGuests(id, 'descendants'), [open, blocked]);
  await call(server.url, ada, 'POST', `/api/v1/accounts/${account.id}/block`);
  assert.deepEqual(await descendants(id), [open, closed]);
  await third.close();
});

test('a late status that is not for everybody stays hidden above its reply', async () => {
  const inReplyTo = away.uri('hidden');
  const reply = await sends(ann, 'open', { inReplyTo });
  const hidden = await sends(bob, 'hidden', { id: inReplyTo, url: inReplyTo, to: [`${server.url}/users/ada`], cc: [] });
  const parentId = (await resolved(hidden)).id;
  const replied = async () => (await resolved(reply)).in_reply_to_id === parentId;
  await until('the parent', replied, SEEN_MS_MAX);
  assert.deepEqual(await ancestors(reply), ['<p>hidden</p>']);
  assert.deepEqual(await seenByGuests((await resolved(reply)).id, 'ancestors'), []);
  assert.equal((await ask(`v1/statuses/${parentId}/context`, '')).status, 404);
});

test('statuses that answer each other in a circle have each other above them once', async () => {
  const [one, two] = [away.uri('circle'), away.uri('circle')];
  const mention = { tag: [{ type: 'Mention', href: `${server.url}/users/ada`, name: '@ada' }] };
  for (const [id, inReplyTo] of [
    [one, two],
    [two, one],
  ] as const) {
    away.answer(new URL(id).pathname, { status: 503 });
    const note = { ...bob.note(`<p>${id === one ? 'one' : 'two'}</p>`, { inReplyTo, ...mention }), id };
    assert.equal(await bob.post(`${server.url}/inbox`, bob.activity('Create', note)), 202);
    await until('the status', async () => (await resolved(id)) !== undefined || undefined, SEEN_MS_MAX);
  }
  for (const id of [one, two]) assert.ok((await ancestors(id)).length <= 1, id);
});

test('a status that answers itself, and circles that are fetched, are found at once', async () => {
  const [self, one, two, three] = [away.uri('self'), away.uri('ring'), away.uri('ring'), away.uri('ring')];
  for (const [id, inReplyTo] of [
    [self, self],
    [one, two],
    [two, three],
    [three, one],
  ] as const)
    away.serves({ ...bob.note(`<p>${id}</p>`, { inReplyTo }), id });
  assert.equal((await resolved(self)).uri, self);
  const all = await Promise.all([one, two, three].map((id) => resolved(id)));
  assert.deepEqual(
    all.map(({ uri }) => uri),
    [one, two, three],
  );
});
