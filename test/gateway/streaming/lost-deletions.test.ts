import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { StreamSources } from '../../../gateway/streaming/sources.js';
import { streamSources } from '../../../gateway/timelines/sources.js';
import { codec } from '../../../proto/codec.js';
import type { StoreStatusRecord } from '../../../proto/gen/types.js';
import { STATUSES_TOPIC } from '../../../transport/bus.js';
import { InProcessHub } from '../../../transport/in-process-bus.js';
import { EventStream } from '../../kit/event-stream.js';
import { lossyBus } from '../../kit/lossy-bus.js';
import { TestServer } from '../../kit/server.js';
import { until } from '../../kit/until.js';
import { ALICE, account, GatewayFixture, realClock } from '../http/gateway-fixture.js';
import { NO_RELATIONS, NO_SOURCES } from './no-sources.js';

const WAIT_MS = 5_000;
const bus = lossyBus(new InProcessHub(realClock).bus('one'));
const gateway = new GatewayFixture(bus);
const gone = new Set<string>();
let looked: readonly string[] = [];
const sources: StreamSources = {
  ...NO_SOURCES,
  renderStatus: async ({ id }) => ({ id }),
  deletedOf: async (ids) => {
    looked = ids;
    return ids.filter((id) => gone.has(id));
  },
};

before(async () => {
  await gateway.start([], { streams: sources }, (async () => NO_RELATIONS) as never);
  await gateway.giveAccount(account(ALICE));
  await gateway.giveToken('alice', { accountId: ALICE, scopes: ['read'] });
});
after(() => gateway.stop());

const blank = { conversationId: '1', html: '', spoilerText: '', sensitive: false, mentions: [], tags: [] };
const zero = { createdAtMs: 0, editedAtMs: 0, favourites: 0, reblogs: 0, replies: 0 };
let minted = 999_999_999_999_990_000n;
function publish(kind: string, id: string): string {
  const isDeleted = kind === 'delete';
  const status: StoreStatusRecord = {
    ...{ id, accountId: ALICE, visibility: 'public', text: isDeleted ? '' : 'hello', deleted: isDeleted },
    ...blank,
    ...zero,
  };
  const message = { kind, status, id, accountId: ALICE, onlyTo: [], listed: true };
  bus.publish(STATUSES_TOPIC, codec('murmuration.node.StatusTopic').encode(message));
  return id;
}
const post = () => publish('update', String(++minted));
/** A stream that hears what is posted from now on. */
async function opened(): Promise<EventStream> {
  const stream = await EventStream.open(gateway.url, 'public', 'alice');
  await until('the first post', () => (post() !== '' && stream.updates().length > 0) || undefined, WAIT_MS);
  return stream;
}
const deletions = ({ events }: EventStream) => events.filter(({ event }) => event === 'delete').map(({ data }) => data);

test('a deletion that the bus lost is told after the gap, once, and only of what the stream has shown', async () => {
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

test('the store says which statuses and reblogs are there no more', async () => {
  const server = await TestServer.start();
  try {
    const [ann, ben] = [await server.person('ann'), await server.person('ben')];
    const [kept, removed] = [await ann.says('kept'), await ann.says('removed')];
    const reblog = (await ben.post(`/api/v1/statuses/${kept}/reblog`)).body.id;
    const all = [kept, removed, reblog];
    const { deletedOf } = streamSources(server.node.services);
    assert.deepEqual(await deletedOf(all), []);
    await ann.remove(`/api/v1/statuses/${removed}`);
    await ben.post(`/api/v1/statuses/${kept}/unreblog`);
    assert.deepEqual(await deletedOf(all), [removed, reblog]);
  } finally {
    await server.stop();
  }
});
