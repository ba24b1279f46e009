import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { StreamSources } from '../../../../gateway/streaming/sources.js';
import { codec } from '../../../../proto/codec.js';
import type { NodeAccountTopic } from '../../../../proto/gen/types.js';
import { accountTopic } from '../../../../transport/bus.js';
import { EventStream } from '../../../kit/network/event-stream.js';
import { until } from '../../../kit/time/until.js';
import { ALICE, account, GatewayFixture } from '../../http/gateway-fixture.js';
import { NO_RELATIONS, NO_SOURCES } from '../no-sources.js';

const WAIT_MS = 5_000;
/** More events than may wait for one viewer. */
const FLOOD = 1_001;
const gateway = new GatewayFixture();
/** Delays the events of a viewer's stream until it is resolved. */
let held: Promise<void> = Promise.resolve();
let rendering = 0;
let asked = 0;
const sources: StreamSources = {
  ...NO_SOURCES,
  renderNotification: async () => {
    rendering += 1;
    await held;
    return undefined;
  },
};

before(async () => {
  const ask = async (_id: string, command: string) => {
    if (command === 'sources') asked += 1;
    return NO_RELATIONS;
  };
  await gateway.start([], { streams: sources }, ask as never);
  await gateway.giveAccount(account(ALICE));
  await gateway.giveToken('alice', { accountId: ALICE, scopes: ['read'] });
});
after(() => gateway.stop());

const tell = (message: Omit<NodeAccountTopic, 'accountId'>) =>
  gateway.bus.publish(
    accountTopic(ALICE),
    codec('murmuration.node.AccountTopic').encode({ accountId: ALICE, ...message }),
  );

test('a change of relations takes effect even if so much happens that a viewer’s stream drops waiting events', async () => {
  const stream = await EventStream.open(gateway, 'user', 'alice');
  await until('the relations to be asked for', async () => asked > 0 || undefined, WAIT_MS);
  let release = () => {};
  held = new Promise((resolve) => {
    release = resolve;
  });
  const notification = { type: 'favourite', from: '5', statusId: '6', atMs: 0 };
  const notify = (n: number) => tell({ kind: 'notification', notificationId: String(100_000 + n), notification });
  notify(0);
  await until('the stream to be held up', async () => rendering > 0 || undefined, WAIT_MS);
  const before = asked;
  tell({ kind: 'relations' });
  for (let n = 1; n <= FLOOD; n++) notify(n);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(asked, before);
  release();
  await until('the relations to be asked for again', async () => asked > before || undefined, WAIT_MS);
  await stream.close();
});

test('a client that must reload gets `reset` even if its stream drops waiting events', async () => {
  const stream = await EventStream.open(gateway, 'user', 'alice');
  let release = () => {};
  held = new Promise((resolve) => {
    release = resolve;
  });
  rendering = 0;
  const notification = { type: 'favourite', from: '5', statusId: '6', atMs: 0 };
  const notify = (n: number) => tell({ kind: 'notification', notificationId: String(200_000 + n), notification });
  notify(0);
  await until('the stream to be held up', () => rendering > 0, WAIT_MS);
  const outdated = await EventStream.open(gateway, 'user', 'alice', '1');
  for (let n = 1; n <= FLOOD; n++) notify(n);
  await new Promise((resolve) => setImmediate(resolve));
  release();
  await until('the reset', () => outdated.dataOf('reset').length > 0, WAIT_MS);
  assert.deepEqual(outdated.dataOf('reset'), ['{}']);
  assert.deepEqual(stream.dataOf('reset'), []);
  await Promise.all([stream.close(), outdated.close()]);
});
