import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EventStream } from '../../kit/network/event-stream.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';

const WAIT_MS = 10_000;
/** Words of the reader's filters, by action. */
const WORDS = { warn: 'owl', blur: 'crow', hide: 'dove' } as const;
const MARKS = ['favourited', 'reblogged', 'bookmarked', 'muted', 'pinned', 'filtered'];

type Entity = Readonly<Record<string, unknown>> & { readonly id: string };

let server: TestServer;
let reader: Person;
let author: Person;
let list = '';
before(async () => {
  server = await TestServer.start();
  [reader, author] = [await server.person('reader'), await server.person('author')];
  await reader.follows(author);
  list = (await reader.post('/api/v1/lists', { title: 'few' })).body.id;
  assert.equal((await reader.post(`/api/v1/lists/${list}/accounts`, { account_ids: [author.id] })).status, 200);
  for (const [action, keyword] of Object.entries(WORDS)) {
    const filter = { title: action, context: ['home'], filter_action: action, keywords_attributes: [{ keyword }] };
    assert.equal((await reader.post('/api/v2/filters', filter)).status, 200);
  }
});
after(() => server?.stop());

const marksOf = (entity: Entity) => Object.fromEntries(MARKS.map((name) => [name, entity[name]]));
const actionsOf = ({ filtered }: Entity) =>
  (filtered as { filter: { filter_action: string } }[]).map(({ filter }) => filter.filter_action);
const sent = (stream: EventStream, event: string): Entity[] =>
  stream.dataOf(event).map((data) => JSON.parse(data) as Entity);
const open = (since?: string) =>
  Promise.all([
    EventStream.open(server, 'user', reader.token, since),
    EventStream.open(server, `list?list=${list}`, reader.token, since),
  ]);
/** Posts a status with this text, and waits until all streams have sent it. */
async function marker(streams: readonly EventStream[], text: string): Promise<string> {
  const id = await author.says(text);
  await until(text, () => streams.every((stream) => stream.updates().includes(id)), WAIT_MS);
  return id;
}
/** Returns the entities of a page of the same place, by id. */
async function page(path: string): Promise<ReadonlyMap<string, Entity>> {
  const { body } = await reader.get(`${path}?limit=40`);
  return new Map((body as Entity[]).map((entity) => [entity.id, entity]));
}
const pages = () => Promise.all([page('/api/v1/timelines/home'), page(`/api/v1/timelines/list/${list}`)]);

test('user and list streams apply the receiver’s filters as their pages do: warn and blur mark, hide drops', async () => {
  const streams = await open();
  const [owl, crow, dove] = await Promise.all(Object.values(WORDS).map((word) => author.says(`a ${word}`)));
  await marker(streams, 'nothing special');
  for (const [index, shown] of (await pages()).entries()) {
    const updates = sent(streams[index] as EventStream, 'update');
    const actions = new Map(updates.map((entity) => [entity.id, actionsOf(entity)]));
    assert.deepEqual([actions.get(String(owl)), actions.get(String(crow))], [['warn'], ['blur']]);
    assert.equal(actions.has(String(dove)), false);
    for (const entity of updates) assert.deepEqual(marksOf(entity), marksOf(shown.get(entity.id) as Entity));
  }
  for (const stream of streams) await stream.close();
});

test('edits in a resumed stream have the receiver’s marks and filters, as those in an open one', async () => {
  const kept = await open();
  const [owl, crow, dove, plain] = await Promise.all(['one', 'two', 'three', 'four'].map((text) => author.says(text)));
  await marker(kept, 'before');
  for (const action of ['favourite', 'bookmark'])
    assert.equal((await reader.post(`/api/v1/statuses/${owl}/${action}`)).status, 200);
  assert.equal((await reader.post(`/api/v1/statuses/${plain}/reblog`)).status, 200);
  const leaving = await open(kept[0]?.position);
  await marker(leaving, 'seen by all');
  for (const stream of leaving) await stream.close();
  for (const [id, status] of [
    [owl, 'an owl'],
    [crow, 'a crow'],
    [dove, 'a dove'],
    [plain, 'plain'],
  ]) {
    assert.equal((await author.put(`/api/v1/statuses/${id}`, { status })).status, 200);
  }
  const resumed = await Promise.all(leaving.map((stream) => resumedFrom(stream)));
  await marker([...kept, ...resumed], 'after');
  for (const [index, shown] of (await pages()).entries()) {
    const [live, late] = [kept, resumed].map((streams) => sent(streams[index] as EventStream, 'status.update'));
    for (const edits of [live, late]) {
      assert.deepEqual(new Set(edits?.map(({ id }) => id)), new Set([owl, crow, plain]));
      for (const entity of edits ?? []) assert.deepEqual(marksOf(entity), marksOf(shown.get(entity.id) as Entity));
    }
    const marked = late?.find(({ id }) => id === owl);
    assert.deepEqual([marked?.favourited, marked?.bookmarked, actionsOf(marked as Entity)], [true, true, ['warn']]);
  }
  for (const stream of [...kept, ...resumed]) await stream.close();
});

/** Opens the same stream again at its position. */
function resumedFrom(stream: EventStream): Promise<EventStream> {
  return EventStream.open(server, stream.path, reader.token, stream.position);
}
