import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { StreamSources } from '../../../../gateway/streaming/sources.js';
import { streamSources } from '../../../../gateway/timelines/sources.js';
import type { LinkCard, StoreStatusRecord } from '../../../../proto/gen/types.js';
import { STATUSES_TOPIC } from '../../../../transport/bus.js';
import { InProcessHub } from '../../../../transport/in-process-bus.js';
import { EventStream } from '../../../kit/network/event-stream.js';
import { lossyBus } from '../../../kit/network/lossy-bus.js';
import { TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';
import { ALICE, account, BOB, GatewayFixture, realClock } from '../../http/gateway-fixture.js';
import { NO_RELATIONS, NO_SOURCES, rendering } from '../no-sources.js';
import { plainStatus, tell } from '../told-status.js';

const WAIT_MS = 5_000;
const bus = lossyBus(new InProcessHub(realClock).bus('one'));
const gateway = new GatewayFixture(bus);
const gone = new Set<string>();
/** Statuses in the store. */
const stored = new Map<string, StoreStatusRecord>();
let looked: readonly string[] = [];
let blocked: readonly string[] = [];
const sources: StreamSources = {
  ...NO_SOURCES,
  ...rendering(({ id, text, card }) => ({ id, text, title: card?.title })),
  nowOf: async (ids) => {
    looked = ids;
    return ids.map((id) => (gone.has(id) ? undefined : stored.get(id)));
  },
};

before(async () => {
  await gateway.start([], { streams: sources }, (async () => ({ ...NO_RELATIONS, blocked })) as never);
  await gateway.giveAccount(account(ALICE));
  await gateway.giveToken('alice', { accountId: ALICE, scopes: ['read'] });
});
after(() => gateway.stop());

let minted = 999_999_999_999_990_000n;
function publish(kind: string, id: string, more: Partial<StoreStatusRecord> = {}): string {
  const isDeleted = kind === 'delete';
  const status = plainStatus(id, ALICE, { text: isDeleted ? '' : 'hello', deleted: isDeleted, ...more });
  stored.set(id, status);
  tell(bus, kind, status);
  return id;
}
const post = () => publish('update', String(++minted));
/** Opens a stream that receives everything posted from now on. */
async function opened(): Promise<EventStream> {
  const stream = await EventStream.open(gateway, 'public', 'alice');
  await until('the first post', () => (post() !== '' && stream.updates().length > 0) || undefined, WAIT_MS);
  return stream;
}
const deletions = ({ events }: EventStream) => events.filter(({ event }) => event === 'delete').map(({ data }) => data);
const edits = ({ events }: EventStream) =>
  events.filter(({ event }) => event === 'status.update').map(({ data }) => JSON.parse(String(data)));
const card: LinkCard = {
  ...{ url: 'https://a.example/', title: 'A page', description: '', type: 'link', authorName: '', authorUrl: '' },
  ...{ providerName: '', providerUrl: '', image: '', width: 0, height: 0, blurhash: '', publishedAtMs: 0 },
};

test('a deletion that the bus lost is sent after the gap, once, and only for statuses that the stream has sent', async () => {
  const stream = await opened();
  const shown = async (id: string) => until('the status', () => stream.updates().includes(id) || undefined, WAIT_MS);
  const [heard, lost, kept] = [post(), post(), post()];
  await shown(kept);
  gone.add(publish('delete', heard));
  await until('the deletion', () => deletions(stream).includes(heard) || undefined, WAIT_MS);
  bus.losing = true;
  gone.add(publish('delete', lost)).add('1');
  bus.losing = false;
  bus.gap(STATUSES_TOPIC);
  await until('the lost deletion', () => deletions(stream).includes(lost) || undefined, WAIT_MS);
  assert.ok(looked.includes(kept) && !looked.includes(heard), 'what is known to be gone is not looked at');
  bus.gap(STATUSES_TOPIC);
  await until('another look', () => !looked.includes(lost) || undefined, WAIT_MS);
  await shown(post());
  assert.deepEqual(deletions(stream), [heard, lost]);
  looked = [];
  const late = await opened();
  assert.deepEqual([looked, deletions(late)], [[], []], 'a new stream has shown nothing');
  for (const one of [stream, late]) await one.close();
});

test('edits and cards that the bus lost are sent after the gap, once, for statuses that the stream has sent', async () => {
  const stream = await opened();
  const [heard, lost, carded, kept] = [post(), post(), post(), post()];
  await until('the last one', () => stream.updates().includes(kept) || undefined, WAIT_MS);
  publish('edit', heard, { text: 'heard', editedAtMs: 5 });
  await until('the edit', () => edits(stream).length === 1 || undefined, WAIT_MS);
  bus.losing = true;
  publish('edit', lost, { text: 'lost', editedAtMs: 6 });
  publish('edit', carded, { card });
  const before = '999999999999900000';
  publish('edit', before, { text: 'from before the stream', editedAtMs: 7 });
  bus.losing = false;
  bus.gap(STATUSES_TOPIC);
  await until('both', () => edits(stream).length === 3 || undefined, WAIT_MS);
  bus.losing = true;
  publish('edit', heard, { text: 'once more', editedAtMs: 8 });
  bus.losing = false;
  bus.gap(STATUSES_TOPIC);
  bus.gap(STATUSES_TOPIC);
  await until('the newer one', () => edits(stream).length === 4 || undefined, WAIT_MS);
  const last = post();
  await until('what comes after', () => stream.updates().includes(last) || undefined, WAIT_MS);
  assert.deepEqual(edits(stream), [
    { id: heard, text: 'heard' },
    { id: lost, text: 'lost' },
    { id: carded, text: 'hello', title: 'A page' },
    { id: heard, text: 'once more' },
  ]);
  await stream.close();
});

test('an edit after the gap is not sent to a viewer who blocks its author by then', async () => {
  const stream = await opened();
  const id = post();
  await until('the status', () => stream.updates().includes(id) || undefined, WAIT_MS);
  bus.losing = true;
  publish('edit', id, { text: 'hidden', editedAtMs: 5 });
  bus.losing = false;
  blocked = [BOB];
  stored.set(id, { ...(stored.get(id) as StoreStatusRecord), accountId: BOB });
  bus.gap(STATUSES_TOPIC);
  bus.gap(STATUSES_TOPIC);
  looked = [];
  await until('a look', () => looked.includes(id) || undefined, WAIT_MS);
  const last = post();
  await until('what comes after', () => stream.updates().includes(last) || undefined, WAIT_MS);
  assert.deepEqual(edits(stream), []);
  blocked = [];
  await stream.close();
});

test('the store returns the current state of statuses and reblogs', async () => {
  const server = await TestServer.start();
  try {
    const [ann, ben] = [await server.person('ann'), await server.person('ben')];
    const [kept, removed] = [await ann.says('kept'), await ann.says('removed')];
    const reblog = (await ben.post(`/api/v1/statuses/${kept}/reblog`)).body.id;
    const all = [kept, removed, reblog];
    const { nowOf } = streamSources(server.node.services);
    const texts = async () => (await nowOf(all)).map((record) => record?.text);
    assert.deepEqual(await texts(), ['kept', 'removed', '']);
    await ann.remove(`/api/v1/statuses/${removed}`);
    await ben.post(`/api/v1/statuses/${kept}/unreblog`);
    await server.ask('PUT', `/api/v1/statuses/${kept}`, { status: 'edited' }, ann.token);
    assert.deepEqual(await texts(), ['edited', undefined, undefined]);
  } finally {
    await server.stop();
  }
});
