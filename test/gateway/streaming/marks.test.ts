import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EventStream } from '../../kit/network/event-stream.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';

const WAIT_MS = 10_000;
const MARKS = ['favourited', 'reblogged', 'bookmarked', 'muted', 'pinned', 'filtered'];
type Entity = Readonly<Record<string, unknown>> & { readonly id: string; readonly reblog?: Entity | null };

let server: TestServer;
let reader: Person;
let author: Person;
before(async () => {
  server = await TestServer.start();
  reader = await server.person('reader');
  author = await server.person('author');
  await reader.follows(author);
});
after(() => server.stop());

const marksOf = (entity: Entity) =>
  Object.fromEntries(MARKS.flatMap((name) => (name in entity ? [[name, entity[name]]] : [])));
const came = (stream: EventStream, event: string, id: string): Promise<Entity> =>
  until(
    `${event} of ${id}`,
    () => stream.events.map((one) => (one.event === event ? JSON.parse(one.data) : {})).find((one) => one.id === id),
    WAIT_MS,
  );
const does = async (person: Person, id: string, ...actions: string[]) => {
  for (const action of actions) assert.equal((await person.post(`/api/v1/statuses/${id}/${action}`)).status, 200);
};
const NOTHING = { favourited: false, reblogged: false, bookmarked: false, muted: false, filtered: [] };

test('statuses on a user or list stream have the marks of its viewer, on a public one none', async () => {
  const list = (await reader.post('/api/v1/lists', { title: 'few' })).body.id;
  assert.equal((await reader.post(`/api/v1/lists/${list}/accounts`, { account_ids: [author.id] })).status, 200);
  const own = await Promise.all(
    ['user', `list?list=${list}`].map((path) => EventStream.open(server, path, reader.token)),
  );
  const everybody = await EventStream.open(server, 'public', reader.token);
  const id = await author.says('a new one');
  for (const stream of own) assert.deepEqual(marksOf(await came(stream, 'update', id)), NOTHING);
  assert.deepEqual(marksOf(await came(everybody, 'update', id)), {});
  await does(reader, id, 'favourite', 'bookmark', 'mute');
  assert.equal((await author.put(`/api/v1/statuses/${id}`, { status: 'edited' })).status, 200);
  const marked = { ...NOTHING, favourited: true, bookmarked: true, muted: true };
  for (const stream of own) assert.deepEqual(marksOf(await came(stream, 'status.update', id)), marked);
  assert.deepEqual(marksOf(await came(everybody, 'status.update', id)), {});
  for (const stream of [...own, everybody]) await stream.close();
});

test('a reblog has the marks of its original, outside and inside', async () => {
  const stranger = await server.person('stranger');
  const id = await stranger.says('far away');
  await does(reader, id, 'favourite', 'bookmark');
  const stream = await EventStream.open(server, 'user', reader.token);
  const { body } = await author.post(`/api/v1/statuses/${id}/reblog`);
  const entity = await came(stream, 'update', body.id);
  const marked = { ...NOTHING, favourited: true, bookmarked: true };
  assert.deepEqual([marksOf(entity), marksOf(entity.reblog ?? entity)], [marked, marked]);
  await stream.close();
});

test('the viewer’s own status states if it is pinned, and a poll has the viewer’s vote', async () => {
  const stream = await EventStream.open(server, 'user', reader.token);
  const id = await reader.says('mine');
  assert.deepEqual(marksOf(await came(stream, 'update', id)), { ...NOTHING, pinned: false });
  await does(reader, id, 'pin');
  assert.equal((await reader.put(`/api/v1/statuses/${id}`, { status: 'still mine' })).status, 200);
  assert.equal((await came(stream, 'status.update', id)).pinned, true);
  const asked = await author.says('which?', { poll: { options: ['a', 'b'], expires_in: 3_600 } });
  const poll = (await came(stream, 'update', asked)).poll as { readonly voted?: boolean };
  assert.equal(poll.voted, false);
  await stream.close();
});

test('a reblogged poll has the viewer’s vote', async () => {
  const asked = await author.says('which one?', { poll: { options: ['a', 'b'], expires_in: 3_600 } });
  const { body } = await reader.get(`/api/v1/statuses/${asked}`);
  assert.equal((await reader.post(`/api/v1/polls/${body.poll.id}/votes`, { choices: [1] })).status, 200);
  const stream = await EventStream.open(server, 'user', reader.token);
  const reblog = (await author.post(`/api/v1/statuses/${asked}/reblog`)).body.id as string;
  const { poll } = (await came(stream, 'update', reblog)).reblog as unknown as { readonly poll: object };
  const { voted, own_votes } = poll as { readonly voted?: boolean; readonly own_votes?: readonly number[] };
  assert.deepEqual([voted, own_votes], [true, [1]]);
  await stream.close();
});
