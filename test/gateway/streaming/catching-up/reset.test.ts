import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import { CATCH_UP_SENT_MAX } from '../../../../gateway/streaming/catching-up.js';
import type { StatusChange, StreamSources } from '../../../../gateway/streaming/sources.js';
import type { StoreStatusRecord } from '../../../../proto/gen/types.js';
import { EventStream } from '../../../kit/network/event-stream.js';
import { until } from '../../../kit/time/until.js';
import { ALICE, account, BOB, GatewayFixture } from '../../http/gateway-fixture.js';
import { NO_RELATIONS, NO_SOURCES, rendering } from '../no-sources.js';
import { plainStatus } from '../told-status.js';

const WAIT_MS = 10_000;
const gateway = new GatewayFixture();
let changes: readonly StatusChange[] | 'too_many' = [];
let stored: readonly StoreStatusRecord[] = [];
const sources: StreamSources = {
  ...NO_SOURCES,
  ...rendering(({ id }) => ({ id })),
  changesSince: async () => changes,
  publicSince: async (_viewer, sinceId, limit) => {
    const from = stored.findIndex(({ id }) => id > sinceId);
    return from < 0 ? [] : stored.slice(from, from + limit);
  },
};

before(async () => {
  await gateway.start([], { streams: sources }, (async () => NO_RELATIONS) as never);
  await gateway.giveAccount(account(ALICE));
  await gateway.giveToken('alice', { accountId: ALICE, scopes: ['read'] });
});
after(() => gateway.stop());

const minuteAgo = () => makeId(Date.now() - 60_000, 0, 0);
async function assertReset(): Promise<void> {
  const stream = await EventStream.open(gateway, 'public', 'alice', minuteAgo());
  const [reset] = await until('the reset', () => stream.events.slice(-1)[0] && stream.events.slice(-1), WAIT_MS);
  assert.deepEqual([stream.events.length, reset?.event], [1, 'reset']);
  await stream.close();
  changes = [];
  stored = [plainStatus(makeId(Date.now() + 1_000, 0, 0), BOB)];
  const again = await EventStream.open(gateway, 'public', 'alice', stream.position);
  await until('the status', () => again.updates().length > 0, WAIT_MS);
  assert.equal(again.events.length, 1, 'no reset again');
  await again.close();
  stored = [];
}

test('a client must reload if more changed than one catch-up reads', async () => {
  changes = 'too_many';
  await assertReset();
});

test('a client must reload if more statuses that it may show changed than one catch-up sends', async () => {
  const status = plainStatus('000000000000000007', BOB, { deleted: true });
  changes = Array.from({ length: CATCH_UP_SENT_MAX + 1 }, (_, index) => ({
    atMs: index,
    status: { ...status, id: String(index).padStart(18, '0') },
  }));
  await assertReset();
});

test('a client must reload if its stream takes only a few of too many new statuses', async () => {
  const first = BigInt(makeId(Date.now() - 10_000, 0, 0));
  stored = Array.from({ length: 20_001 }, (_, index) =>
    plainStatus(String(first + BigInt(index)), BOB, { visibility: 'private' }),
  );
  await assertReset();
});
