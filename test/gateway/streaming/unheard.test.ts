import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { StreamSources } from '../../../gateway/streaming/sources.js';
import { EventStream } from '../../kit/network/event-stream.js';
import { until } from '../../kit/time/until.js';
import { ALICE, account, BOB, GatewayFixture } from '../http/gateway-fixture.js';
import { NO_RELATIONS, NO_SOURCES, rendering } from './no-sources.js';
import { plainStatus, tell } from './told-status.js';

// Two partitioned servers of a NATS cluster: changes on one side are not published on the other.

const WAIT_MS = 10_000;
const gateway = new GatewayFixture();
const sources: StreamSources = { ...NO_SOURCES, ...rendering(({ id }) => ({ id })) };
let relationsAgeMaxMs = Number.POSITIVE_INFINITY;
let blocked: readonly string[] = [];
let asked = 0;

before(async () => {
  const ask = async () => {
    asked += 1;
    return { ...NO_RELATIONS, blocked };
  };
  await gateway.start([], { streams: sources, relationsAgeMaxMs: () => relationsAgeMaxMs }, ask as never);
  await gateway.giveAccount(account(ALICE));
  await gateway.giveToken('alice', { accountId: ALICE, scopes: ['read'] });
});
after(() => gateway.stop());

let minted = 999_999_999_999_000_000n;
function post(accountId = ALICE): string {
  const id = String(++minted);
  tell(gateway.bus, 'update', plainStatus(id, accountId));
  return id;
}
async function opened(): Promise<EventStream> {
  const stream = await EventStream.open(gateway, 'public', 'alice');
  await until('the first post', () => (post() !== '' && stream.updates().length > 0) || undefined, WAIT_MS);
  return stream;
}
const shown = (stream: EventStream, id: string) =>
  until('the status', () => stream.updates().includes(id) || undefined, WAIT_MS);

test('an unpublished block applies to streams while some nodes are unreachable', async () => {
  const stream = await opened();
  const before = asked;
  blocked = [BOB];
  const early = post(BOB);
  await shown(stream, early);
  assert.equal(asked, before, 'whoever hears everybody is told');
  relationsAgeMaxMs = 0;
  const late = post(BOB);
  await shown(stream, post());
  assert.ok(!stream.updates().includes(late));
  assert.ok(asked > before);
  blocked = [];
  relationsAgeMaxMs = Number.POSITIVE_INFINITY;
  await stream.close();
});

test('a token with an unpublished revocation ends its streams before they send anything more', async () => {
  const stream = await opened();
  await gateway.takeToken('alice');
  await shown(stream, post());
  relationsAgeMaxMs = 0;
  const late = post();
  await until('the end of the stream', () => stream.ended || undefined, WAIT_MS);
  assert.ok(!stream.updates().includes(late));
});
