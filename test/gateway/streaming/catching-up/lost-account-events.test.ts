import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { codec } from '../../../../proto/codec.js';
import { accountTopic } from '../../../../transport/bus.js';
import { InProcessHub } from '../../../../transport/in-process-bus.js';
import { EventStream } from '../../../kit/network/event-stream.js';
import { lossyBus } from '../../../kit/network/lossy-bus.js';
import { until } from '../../../kit/time/until.js';
import { ALICE, account, GatewayFixture, realClock } from '../../http/gateway-fixture.js';
import { NO_RELATIONS, NO_SOURCES, rendering } from '../no-sources.js';
import { plainStatus, tell } from '../told-status.js';

const WAIT_MS = 10_000;
const bus = lossyBus(new InProcessHub(realClock).bus('one'));
let filters: readonly object[] = [];
const gateway = new GatewayFixture(bus);

before(async () => {
  const streams = { ...NO_SOURCES, ...rendering(({ id }) => ({ id })) };
  const relations = async (_account: string, command: string) =>
    command === 'screen' ? { filters, domains: [], languages: [] } : { ...NO_RELATIONS, screened: filters.length > 0 };
  await gateway.start([], { streams }, relations as never);
  await gateway.giveAccount(account(ALICE));
  await gateway.giveToken('alice', { accountId: ALICE, scopes: ['read'] });
});
after(() => gateway.stop());

const notice = (kind: string) =>
  bus.publish(accountTopic(ALICE), codec('murmuration.node.AccountTopic').encode({ accountId: ALICE, kind }));
const names = ({ events }: EventStream) => events.map(({ event }) => event);
let minted = 999_999_999_999_990_000n;

/** Publishes a status and waits until the stream has sent it. */
async function post(stream: EventStream): Promise<void> {
  const id = String(++minted);
  tell(bus, 'update', plainStatus(id, ALICE));
  await until('the status', () => stream.updates().includes(id) || undefined, WAIT_MS);
}

test('after a gap of the bus, streams ask clients to read filters and notifications again', async () => {
  const streams = await Promise.all(
    ['user', 'user/notification', 'public'].map((name) => EventStream.open(gateway, name, 'alice')),
  );
  const [user, notifications, everybody] = streams as [EventStream, EventStream, EventStream];
  bus.losing = true;
  filters = [{ id: '1', title: 'all', contexts: ['home'], action: 'warn', keywords: [], statuses: [] }];
  notice('filters_changed');
  notice('notifications_merged');
  bus.losing = false;
  bus.gap();
  await until('both', () => (names(user).length >= 2 && names(notifications).length >= 1) || undefined, WAIT_MS);
  assert.deepEqual(names(user).slice(0, 2), ['filters_changed', 'notifications_merged']);
  assert.deepEqual([...new Set(names(notifications))], ['notifications_merged']);
  await post(everybody);
  assert.deepEqual(names(everybody), ['update']);
  for (const stream of streams) await stream.close();
});

test('a resumed stream asks its client to read filters and notifications again, a new one does not', async () => {
  const first = await EventStream.open(gateway, 'user', 'alice');
  const everybody = await EventStream.open(gateway, 'public', 'alice');
  await post(everybody);
  const resumed = await EventStream.open(gateway, 'user', 'alice', everybody.position);
  await until('both', () => names(resumed).includes('notifications_merged') || undefined, WAIT_MS);
  assert.ok(names(resumed).includes('filters_changed'));
  assert.deepEqual(
    names(first).filter((name) => name !== 'update'),
    [],
  );
  for (const stream of [first, everybody, resumed]) await stream.close();
});
