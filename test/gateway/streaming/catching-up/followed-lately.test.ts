import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import type { StreamSources } from '../../../../gateway/streaming/sources.js';
import { codec } from '../../../../proto/codec.js';
import type { StoreStatusRecord } from '../../../../proto/gen/types.js';
import { accountTopic, STATUSES_TOPIC } from '../../../../transport/bus.js';
import { InProcessHub } from '../../../../transport/in-process-bus.js';
import { EventStream } from '../../../kit/network/event-stream.js';
import { lossyBus } from '../../../kit/network/lossy-bus.js';
import { until } from '../../../kit/time/until.js';
import { ALICE, account, BOB, GatewayFixture, realClock } from '../../http/gateway-fixture.js';
import { NO_RELATIONS, NO_SOURCES, rendering } from '../no-sources.js';
import { plainStatus, tell } from '../told-status.js';

const CAROL = '000000000000000003';
const WAIT_MS = 10_000;
const bus = lossyBus(new InProcessHub(realClock).bus('one'));
const gateway = new GatewayFixture(bus);
const stored: StoreStatusRecord[] = [];
let followed = [BOB];
const sources: StreamSources = {
  ...NO_SOURCES,
  ...rendering(({ id }) => ({ id })),
  homeSince: async (_viewer, sinceId, limit) =>
    stored.filter(({ id, accountId }) => id > sinceId && followed.includes(accountId)).slice(0, limit),
  nowOf: async (ids) => ids.map((id) => stored.find((one) => one.id === id)),
};

before(async () => {
  await gateway.start([], { streams: sources }, (async () => {
    const following = followed.map((target) => ({ target, pending: false, reblogs: true }));
    return { ...NO_RELATIONS, following };
  }) as never);
  await gateway.giveAccount(account(ALICE));
  await gateway.giveToken('alice', { accountId: ALICE, scopes: ['read'] });
});
after(() => gateway.stop());

let minted = 0;
function post(by: string): string {
  const status = plainStatus(makeId(Date.now(), 0, minted++), by);
  stored.push(status);
  tell(bus, 'update', status);
  return status.id;
}

test('a catch-up sends what the home timeline shows: also older posts of accounts that were followed since', async () => {
  const stream = await EventStream.open(gateway, 'user', 'alice');
  const shown = (id: string) => until('the status', () => stream.updates().includes(id), WAIT_MS);
  const first = post(BOB);
  await shown(first);
  const older = post(CAROL);
  followed = [BOB, CAROL];
  bus.publish(
    accountTopic(ALICE),
    codec('murmuration.node.AccountTopic').encode({ accountId: ALICE, kind: 'relations' }),
  );
  const later = post(CAROL);
  await shown(later);
  assert.deepEqual(stream.updates(), [first, later]);
  bus.gap(STATUSES_TOPIC);
  await shown(older);
  const last = post(CAROL);
  await shown(last);
  assert.deepEqual(stream.updates(), [first, later, older, last]);
  await stream.close();
});
