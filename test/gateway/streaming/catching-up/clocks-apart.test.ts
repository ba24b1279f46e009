import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import type { StreamSources } from '../../../../gateway/streaming/sources.js';
import { codec } from '../../../../proto/codec.js';
import type { NodeAccountTopic } from '../../../../proto/gen/types.js';
import { accountTopic } from '../../../../transport/bus.js';
import { InProcessHub } from '../../../../transport/in-process-bus.js';
import { EventStream } from '../../../kit/network/event-stream.js';
import { lossyBus } from '../../../kit/network/lossy-bus.js';
import { until } from '../../../kit/time/until.js';
import { ALICE, account, BOB, GatewayFixture, realClock } from '../../http/gateway-fixture.js';
import { NO_RELATIONS, NO_SOURCES, piecesOf, rendering } from '../no-sources.js';
import { plainStatus, tell } from '../told-status.js';

// Ids of two nodes differ just after a start. The id clock of this node is ahead of the one that mints these ids, so the
// events come after the start of a stream with ids below its floor.

const WAIT_MS = 10_000;
const AHEAD_MS = 60_000;
const bus = lossyBus(new InProcessHub(realClock).bus('one'));
const gateway = new GatewayFixture(bus);
/** Resolves when the viewer's relations may be read. */
let loading: Promise<void> | undefined;
const sources: StreamSources = {
  ...NO_SOURCES,
  ...rendering(({ id }) => ({ id })),
  renderNotification: async (_viewer, id) => piecesOf({ id }),
  renderConversation: async (_viewer, { statusIds }) => {
    const id = statusIds.at(-1) ?? '';
    return { id, pieces: piecesOf({ id }) };
  },
};

before(async () => {
  const ask = (async () => {
    await loading;
    return NO_RELATIONS;
  }) as never;
  const idClock = { ...realClock, nowMs: () => Date.now() + AHEAD_MS };
  await gateway.start([], { streams: sources, services: { ...gateway.services(ask), idClock } });
  await gateway.giveAccount(account(ALICE));
  await gateway.giveToken('alice', { accountId: ALICE, scopes: ['read'] });
});
after(() => gateway.stop());

let minted = 0;
const mint = () => makeId(Date.now(), 3, ++minted);
const tellAlice = (message: Omit<NodeAccountTopic, 'accountId'>) =>
  bus.publish(accountTopic(ALICE), codec('murmuration.node.AccountTopic').encode({ accountId: ALICE, ...message }));

function post(): string {
  const id = mint();
  tell(bus, 'update', plainStatus(id, BOB));
  return id;
}
function notify(): string {
  const id = mint();
  const notification = { type: 'favourite', from: BOB, atMs: Date.now() };
  tellAlice({ kind: 'notification', notificationId: id, notification });
  return id;
}
function converse(): string {
  const id = mint();
  const direct = { conversationId: '7', statusIds: [id], participants: [], unread: true };
  tellAlice({ kind: 'conversation', direct: direct as never });
  return id;
}

const told = (stream: EventStream, name: string) => stream.dataOf(name).map((data) => JSON.parse(data).id as string);

for (const [path, name, happen] of [
  ['public', 'update', post],
  ['user/notification', 'notification', notify],
  ['direct', 'conversation', converse],
] as const) {
  test(`${path}: an event that waits when a catch-up is requested is sent, also with an id below the floor`, async () => {
    const stream = await EventStream.open(gateway, path, 'alice');
    const first = happen();
    await until('the first event', () => told(stream, name).includes(first), WAIT_MS);
    let release = () => {};
    loading = new Promise((resolve) => {
      release = resolve;
    });
    tellAlice({ kind: 'relations' });
    const waiting = happen();
    await new Promise((resolve) => setImmediate(resolve));
    bus.gap();
    loading = undefined;
    release();
    const last = happen();
    await until('the last event', () => told(stream, name).includes(last), WAIT_MS);
    assert.deepEqual(told(stream, name), [first, waiting, last]);
    await stream.close();
  });
}
