import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type MessageEvent, WebSocket } from 'undici';
import { LISTS_MAX } from '../../../../actors/account/lists.js';
import { EventStream } from '../../../kit/network/event-stream.js';
import { urlOf } from '../../../kit/network/sockets.js';
import { linkTo, type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server.stop());

const WAIT_MS = 5_000;
const ids = (list: { id: string }[]) => list.map((item) => item.id);
const put = (person: Person, path: string, body: object) => server.ask('PUT', path, body, person.token);
const remove = (person: Person, path: string, body?: object) => server.ask('DELETE', path, body, person.token);
const homeOf = async (person: Person) => ids((await person.get('/api/v1/timelines/home')).body);
const timeline = async (person: Person, list: string) => ids((await person.get(`/api/v1/timelines/list/${list}`)).body);

async function listOf(owner: Person, members: readonly Person[], more: object = {}): Promise<string> {
  const made = await owner.post('/api/v1/lists', { title: 'Friends', ...more });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  for (const member of members) await owner.follows(member);
  const account_ids = members.map(({ id }) => id);
  const added = await owner.post(`/api/v1/lists/${made.body.id}/accounts`, { account_ids });
  assert.deepEqual([added.status, added.body], [200, {}]);
  return made.body.id;
}

test('a list is created with Mastodon’s defaults, and only its owner reads, changes and deletes it', async () => {
  const [ann, ben] = [await server.person('ann'), await server.person('ben')];
  const { body: list } = await ann.post('/api/v1/lists', { title: 'Friends' });
  assert.deepEqual(list, { id: list.id, title: 'Friends', replies_policy: 'list', exclusive: false });
  const path = `/api/v1/lists/${list.id}`;
  const changed = await put(ann, path, { title: 'Foes', replies_policy: 'none', exclusive: true });
  assert.deepEqual(changed.body, { id: list.id, title: 'Foes', replies_policy: 'none', exclusive: true });
  assert.deepEqual((await ann.get('/api/v1/lists')).body, [changed.body]);
  assert.deepEqual((await ann.get(path)).body, changed.body);
  assert.deepEqual((await ben.get('/api/v1/lists')).body, []);
  const account_ids = [ben.id];
  for (const refused of [
    ben.get(path),
    put(ben, path, { title: 'mine' }),
    remove(ben, path),
    ben.get(`${path}/accounts`),
    ben.post(`${path}/accounts`, { account_ids }),
    remove(ben, `${path}/accounts`, { account_ids }),
    ben.get(`/api/v1/timelines/list/${list.id}`),
  ])
    assert.deepEqual([(await refused).status, (await refused).body], [404, { error: 'Record not found' }]);
  assert.deepEqual((await remove(ann, path)).body, {});
  assert.equal((await ann.get(path)).status, 404);
  assert.equal((await ann.get(`/api/v1/timelines/list/${list.id}`)).status, 404);
});

test('lists without a title, with unknown policies, past the limit or without a token are refused', async () => {
  const cleo = await server.person('cleo');
  for (const body of [
    {},
    { title: '' },
    { title: ' ' },
    { title: 'x'.repeat(257) },
    { title: 'x', replies_policy: 'all' },
  ])
    assert.equal((await cleo.post('/api/v1/lists', body)).status, 422, JSON.stringify(body));
  assert.equal((await server.get('/api/v1/lists')).status, 401);
  const narrow = await server.token(cleo.id, ['read:statuses']);
  assert.equal((await server.ask('GET', '/api/v1/lists', undefined, narrow)).status, 403);
  for (let n = 0; n < LISTS_MAX; n++) assert.equal((await cleo.post('/api/v1/lists', { title: `${n}` })).status, 200);
  const past = await cleo.post('/api/v1/lists', { title: 'one more' });
  assert.deepEqual(
    [past.status, past.body.error],
    [422, 'Validation failed: You have reached the maximum number of lists'],
  );
});

test('members are followed accounts, paged by Link, named in JSON, forms or the address, and leave with the follow', async () => {
  const dan = await server.person('dan');
  const people: Person[] = [];
  for (let n = 0; n < 5; n++) people.unshift(await server.person(`m${n}`));
  const stranger = await server.person('stranger');
  const list = await listOf(dan, [...people].reverse());
  const path = `/api/v1/lists/${list}/accounts`;
  const found: string[] = [];
  for (let next: string | undefined = `${path}?limit=2`; next !== undefined; ) {
    const page = await dan.get(next);
    found.push(...ids(page.body));
    next = linkTo(page, 'next');
  }
  assert.deepEqual(found, ids(people));
  assert.deepEqual(ids((await dan.get(`${path}?limit=0`)).body), ids(people), 'all of them');
  for (const account_ids of [[stranger.id], ['1']])
    assert.equal((await dan.post(path, { account_ids })).status, 404, 'not followed');
  const again = await dan.post(path, { account_ids: [people[0]?.id] });
  assert.deepEqual([again.status, again.body.error], [422, 'Validation failed: Account has already been taken']);
  for (const body of [{}, { account_ids: [] }, { account_ids: ['x'] }])
    assert.equal((await dan.post(path, body)).status, 422, JSON.stringify(body));
  const form = (method: string, id: string) =>
    server.send(path, {
      method,
      headers: { authorization: `Bearer ${dan.token}` },
      body: new URLSearchParams([['account_ids[]', id]]),
    });
  const first = people[0] as Person;
  assert.deepEqual(ids((await dan.get(`/api/v1/accounts/${first.id}/lists`)).body), [list]);
  assert.equal((await form('DELETE', first.id)).status, 200);
  assert.deepEqual((await dan.get(`/api/v1/accounts/${first.id}/lists`)).body, []);
  assert.equal((await dan.get('/api/v1/accounts/1/lists')).status, 404);
  assert.equal((await form('POST', first.id)).status, 200);
  assert.equal((await remove(dan, `${path}?account_ids[]=${first.id}`)).status, 200);
  assert.equal((await remove(dan, path, { account_ids: [first.id] })).status, 200, 'it is not there already');
  assert.equal((await remove(dan, path)).status, 422);
  await dan.post(`/api/v1/accounts/${people[1]?.id}/unfollow`);
  assert.deepEqual(ids((await dan.get(path)).body), ids(people.slice(2)));
});

test('a list’s timeline contains statuses of its members, by its policy for replies, at once', async () => {
  const [eve, fay, gus, hal] = [
    await server.person('eve'),
    await server.person('fay'),
    await server.person('gus'),
    await server.person('hal'),
  ];
  const early = await fay.says('before the list');
  const list = await listOf(eve, [fay]);
  for (const other of [gus, hal]) await eve.follows(other);
  const own = await eve.says('mine');
  const gusSays = await gus.says('gus');
  const toGus = await fay.says('@gus to you', { in_reply_to_id: gusSays });
  const toMe = await fay.says('to me', { in_reply_to_id: own });
  const thread = await fay.says('and on', { in_reply_to_id: early });
  const closed = await fay.says('closed', { visibility: 'private' });
  await fay.says('@eve direct', { visibility: 'direct' });
  const reblog = (await fay.post(`/api/v1/statuses/${gusSays}/reblog`)).body.id;
  const always = [early, toMe, thread, closed, reblog];
  const shows = async (expected: string[], what: string) =>
    assert.deepEqual((await timeline(eve, list)).sort(), expected.sort(), what);
  await shows(always, 'replies to members');
  await put(eve, `/api/v1/lists/${list}`, { replies_policy: 'followed' });
  await shows([...always, toGus], 'replies to followed people');
  await put(eve, `/api/v1/lists/${list}`, { replies_policy: 'none' });
  await shows(always, 'no replies to others');
  await put(eve, `/api/v1/lists/${list}`, { replies_policy: 'list' });
  await eve.post(`/api/v1/lists/${list}/accounts`, { account_ids: [gus.id] });
  await shows([early, toMe, thread, closed, gusSays, toGus], 'a member more, of whose status no reblog is shown');
  await eve.post(`/api/v1/accounts/${gus.id}/mute`);
  await shows([early, toMe, thread, closed], 'without who is muted');
  await eve.post(`/api/v1/accounts/${gus.id}/unmute`);
  await eve.post(`/api/v1/accounts/${gus.id}/block`);
  await shows([early, toMe, thread, closed], 'nor who is blocked');
  const page = await eve.get(`/api/v1/timelines/list/${list}?limit=2`);
  const next = await eve.get(linkTo(page, 'next') ?? '');
  assert.deepEqual([...ids(page.body), ...ids(next.body)], [early, toMe, thread, closed].sort().reverse());
  await eve.post(`/api/v1/accounts/${fay.id}/unfollow`);
  await shows([], 'and without who is not followed');
});

test('an exclusive list removes its members from home, until it is changed or deleted', async () => {
  const [ida, jon] = [await server.person('ida'), await server.person('jon')];
  const list = await listOf(ida, [jon], { exclusive: true });
  const said = await jon.says('only there');
  assert.deepEqual([await homeOf(ida), await timeline(ida, list)], [[], [said]]);
  await put(ida, `/api/v1/lists/${list}`, { exclusive: false });
  assert.deepEqual(await homeOf(ida), [said]);
  await put(ida, `/api/v1/lists/${list}`, { exclusive: true });
  assert.deepEqual(await homeOf(ida), []);
  await remove(ida, `/api/v1/lists/${list}`);
  assert.deepEqual(await homeOf(ida), [said]);
});

interface Frame {
  readonly stream?: string[];
  readonly event?: string;
  readonly payload?: string;
  readonly status?: number;
}

test('a list has its own stream, over WebSocket and server-sent events, which changes with it', async () => {
  const [kim, lea, max] = [await server.person('kim'), await server.person('lea'), await server.person('max')];
  const list = await listOf(kim, [lea]);
  await kim.follows(max);
  const frames: Frame[] = [];
  const socket = new WebSocket(`${urlOf(server).replace('http', 'ws')}/api/v1/streaming?access_token=${kim.token}`);
  socket.addEventListener('message', (event: MessageEvent) => frames.push(JSON.parse(event.data as string)));
  await until('the socket is open', () => socket.readyState === 1 || undefined, WAIT_MS);
  const send = (type: string, of: unknown) => socket.send(JSON.stringify({ type, stream: 'list', list: of }));
  const refusals = () => frames.flatMap(({ status }) => status ?? []);
  send('subscribe', undefined);
  send('subscribe', 'x');
  send('subscribe', '5');
  await until('the refusals', () => refusals().length === 3 || undefined, WAIT_MS);
  assert.deepEqual(refusals(), [400, 404, 404]);
  const stream = await EventStream.open(server, `list?list=${list}`, kim.token);
  send('subscribe', list);
  const updates = () =>
    frames.flatMap(({ event, payload }) => (event === 'update' ? [JSON.parse(payload ?? '{}').id as string] : []));
  const arrives = async (id: string) => {
    await until(`${id} over the socket`, () => updates().includes(id) || undefined, WAIT_MS);
    await until(`${id} as an event`, () => stream.updates().includes(id) || undefined, WAIT_MS);
  };
  const probed = async () => (await lea.says('probe')) !== '' && updates().length > 0 && stream.updates().length > 0;
  await until('both streams are open', async () => (await probed()) || undefined, WAIT_MS);
  const unlisted = await max.says('not in the list');
  await arrives(await lea.says('in the list'));
  assert.deepEqual(frames.at(-1)?.stream, ['list', list]);
  await kim.post(`/api/v1/lists/${list}/accounts`, { account_ids: [max.id] });
  await arrives(await max.says('in it now'));
  await remove(kim, `/api/v1/lists/${list}/accounts`, { account_ids: [lea.id] });
  const gone = await lea.says('not any more');
  const last = await max.says('last');
  await arrives(last);
  for (const id of [unlisted, gone]) assert.ok(!updates().includes(id) && !stream.updates().includes(id));
  await max.remove(`/api/v1/statuses/${last}`);
  await until('the deletion', () => frames.some(({ event }) => event === 'delete') || undefined, WAIT_MS);
  send('unsubscribe', list);
  const count = updates().length;
  const after = await max.says('after');
  await until('the event', () => stream.updates().includes(after) || undefined, WAIT_MS);
  assert.equal(updates().length, count);
  socket.close();
  await stream.close();
});

test('only its owner opens the stream of a list, and only of an existing one', async () => {
  const [nan, ole] = [await server.person('nan'), await server.person('ole')];
  const { body } = await nan.post('/api/v1/lists', { title: 'empty' });
  const at = async (query: string, { token }: Person) =>
    (await server.send(`/api/v1/streaming/list${query}`, { headers: { authorization: `Bearer ${token}` } })).status;
  assert.equal(await at('', nan), 400);
  assert.equal(await at('?list=x', nan), 404);
  assert.equal(await at('?list=5', nan), 404);
  assert.equal(await at(`?list=${body.id}`, ole), 404);
});
