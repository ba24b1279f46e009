import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { makeId } from '../../../actors/domain/ids.js';
import type { Clock } from '../../../actors/domain/time.js';
import { LIVE_MS_MAX } from '../../../gateway/streaming/endpoints/endpoints.js';
import type { StreamSources } from '../../../gateway/streaming/sources.js';
import { codec } from '../../../proto/codec.js';
import type { StoreStatusRecord } from '../../../proto/gen/types.js';
import { accountTopic, type Bus, INSTANCE_TOPIC, STATUSES_TOPIC } from '../../../transport/bus.js';
import { InProcessHub } from '../../../transport/in-process-bus.js';
import { EventStream } from '../../kit/network/event-stream.js';
import { lossyBus } from '../../kit/network/lossy-bus.js';
import { until } from '../../kit/time/until.js';
import { ALICE, account, BOB, GatewayFixture, realClock } from '../http/gateway-fixture.js';
import { NO_RELATIONS, NO_SOURCES, piecesOf, rendering } from './no-sources.js';
import { plainStatus, tell } from './told-status.js';

const WAIT_MS = 10_000;
/** Ids from before each stream: a catch-up finds none of them. */
const OLD_ID = '000000000000000077';

/** Subject whose subscription takes until `let go`. */
let slow = '';
let letGo: (() => void) | undefined;
let isImpatient = false;

const lossy = lossyBus(new InProcessHub(realClock).bus('one'));
const bus: Bus = {
  ...lossy,
  subscribe: async (subject, handler) => {
    if (subject === slow) {
      await new Promise<void>((resolve) => {
        letGo = resolve;
      });
    }
    return lossy.subscribe(subject, handler);
  },
};
/** Clock whose waits for live events end at once if the test says so. */
const clock: Clock = {
  ...realClock,
  after: (delayMs, callback) => realClock.after(isImpatient && delayMs === LIVE_MS_MAX ? 0 : delayMs, callback),
};
const gateway = new GatewayFixture(bus);
/** Statuses in the store, oldest first. */
let stored: StoreStatusRecord[] = [];
/** Ids of the statuses that were rendered. */
const rendered: string[] = [];
const sources: StreamSources = {
  ...NO_SOURCES,
  ...rendering(({ id }) => {
    rendered.push(id);
    return { id };
  }),
  renderNotification: async (_viewer, id) => piecesOf({ id }),
  publicSince: async (_viewer, sinceId) => stored.filter(({ id }) => id > sinceId),
  // All of them were published late.
  changesSince: async () => stored.map((status) => ({ atMs: Date.now(), status: { ...status, late: true } })),
  publications: { received: 0, has: () => true, isLate: () => true, lateSince: () => [] },
  nowOf: async (ids) => ids.map((id) => stored.find((one) => one.id === id)),
};

before(async () => {
  const ask = (async () => NO_RELATIONS) as never;
  const services = { ...gateway.services(ask), clock, entries: { of: async () => [] } as never };
  await gateway.start([], { streams: sources, services });
  await gateway.giveAccount(account(ALICE));
  await gateway.giveToken('alice', { accountId: ALICE, scopes: ['read'] });
});
after(() => gateway.stop());
afterEach(() => {
  stored = [];
  slow = '';
  letGo?.();
  letGo = undefined;
  isImpatient = false;
});

const notification = { type: 'favourite', from: BOB, atMs: 1 };
const happenings: readonly (readonly [string, string, () => void])[] = [
  [STATUSES_TOPIC, 'update', () => tell(bus, 'update', plainStatus(OLD_ID, BOB))],
  [
    accountTopic(ALICE),
    'notification',
    () =>
      bus.publish(
        accountTopic(ALICE),
        codec('murmuration.node.AccountTopic').encode({
          ...{ accountId: ALICE, kind: 'notification' },
          ...{ notificationId: OLD_ID, notification },
        }),
      ),
  ],
  [
    INSTANCE_TOPIC,
    'announcement.delete',
    () =>
      bus.publish(
        INSTANCE_TOPIC,
        codec('murmuration.instance.InstanceTopic').encode({
          kind: 'announcement.delete',
          id: OLD_ID,
          name: '',
          count: 0,
        }),
      ),
  ],
];

for (const [subject, name, happen] of happenings) {
  test(`a client that has seen the head of a stream gets what happens then: ${name}`, async () => {
    slow = subject;
    const steps: string[] = [];
    const path = name === 'update' ? 'public' : 'user';
    const opening = EventStream.open(gateway, path, 'alice').then((stream) => {
      steps.push('head');
      happen();
      return stream;
    });
    const release = await until('the subscription', () => letGo, WAIT_MS);
    // The server answers other requests meanwhile.
    for (let n = 0; n < 5; n++) assert.equal(await (await gateway.send('/api/v1/streaming/health')).text(), 'OK');
    steps.push('live');
    release();
    const stream = await opening;
    await until('the event', () => stream.dataOf(name).length === 1 || undefined, WAIT_MS);
    assert.deepEqual(steps, ['live', 'head']);
    await stream.close();
  });
}

test('a stream whose live events do not arrive in time is refused, and one after that is opened', async () => {
  slow = STATUSES_TOPIC;
  isImpatient = true;
  const refused = await gateway.send('/api/v1/streaming/public?access_token=alice');
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5']);
  await refused.body?.cancel();
  slow = '';
  isImpatient = false;
  const [, name, happen] = happenings[0] as (typeof happenings)[number];
  const stream = await EventStream.open(gateway, 'public', 'alice');
  happen();
  await until('the event', () => stream.dataOf(name).length === 1 || undefined, WAIT_MS);
  await stream.close();
});

test('events that come before a response begins are sent after its head', async () => {
  slow = INSTANCE_TOPIC;
  const opening = EventStream.open(gateway, 'user', 'alice');
  const release = await until('the subscription', () => letGo, WAIT_MS);
  const [, name, happen] = happenings[1] as (typeof happenings)[number];
  happen();
  assert.equal(await (await gateway.send('/api/v1/streaming/health')).text(), 'OK');
  release();
  const stream = await opening;
  await until('the event', () => stream.dataOf(name).length === 1 || undefined, WAIT_MS);
  await stream.close();
});

for (const [place, fromNowMs] of [
  ['above', 2_000],
  ['below', -2_000],
] as const) {
  test(`late statuses ${place} the floor of a resumed stream come after those that it has missed`, async () => {
    const atMs = Date.now() + fromNowMs;
    const status = (seq: number) => plainStatus(makeId(atMs, 0, seq), BOB);
    const publish = (one: StoreStatusRecord) => tell(bus, 'update', one, { late: true });
    const [seen, missed, later] = [status(1), status(2), status(3)];
    const stream = await EventStream.open(gateway, 'public', 'alice');
    publish(seen);
    await until('the first status', () => stream.updates().length === 1 || undefined, WAIT_MS);
    await stream.close();
    slow = accountTopic(ALICE);
    const opening = EventStream.open(gateway, 'public', 'alice', stream.position);
    const release = await until('the subscription', () => letGo, WAIT_MS);
    stored = [seen, missed, later];
    publish(later);
    await until('the rendered status', () => rendered.includes(later.id) || undefined, WAIT_MS);
    assert.equal(await (await gateway.send('/api/v1/streaming/health')).text(), 'OK');
    release();
    const resumed = await opening;
    await until('both statuses', () => resumed.updates().length === 2 || undefined, WAIT_MS);
    assert.deepEqual(resumed.updates(), [missed.id, later.id]);
    await resumed.close();
  });
}
