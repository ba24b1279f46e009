import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import type { StreamSources } from '../../../../gateway/streaming/sources.js';
import type { StoreStatusRecord } from '../../../../proto/gen/types.js';
import { STATUSES_TOPIC } from '../../../../transport/bus.js';
import { InProcessHub } from '../../../../transport/in-process-bus.js';
import { EventStream } from '../../../kit/network/event-stream.js';
import { lossyBus } from '../../../kit/network/lossy-bus.js';
import { until } from '../../../kit/time/until.js';
import { ALICE, account, GatewayFixture, realClock } from '../../http/gateway-fixture.js';
import { NO_RELATIONS, NO_SOURCES, rendering } from '../no-sources.js';
import { plainStatus, tell } from '../told-status.js';

// A gap is reported while a catch-up reads: until then the node took a lost message for one that is still to come.

const WAIT_MS = 30_000;
const bus = lossyBus(new InProcessHub(realClock).bus('one'));
const gateway = new GatewayFixture(bus);
const stored: StoreStatusRecord[] = [];
/** Statuses of which this node, until it learns of the gap, expects the message. */
const awaited = new Set<string>();
/** Called before a status is rendered for all viewers, or for one. */
let rendered: (id: string, isForOne: boolean) => void = () => undefined;
/** Statuses whose change the store lists, for streams that are resumed. */
const edited: StoreStatusRecord[] = [];

const since = async (sinceId: string, limit: number) => stored.filter(({ id }) => id > sinceId).slice(0, limit);
const renderedAs = (isForOne: boolean) =>
  rendering(({ id, text }) => {
    rendered(id, isForOne);
    return { id, content: text };
  });
const sources: StreamSources = {
  ...NO_SOURCES,
  renderStatus: renderedAs(false).renderStatus,
  renderFor: renderedAs(true).renderFor,
  publicSince: (_viewer, sinceId, limit) => since(sinceId, limit),
  homeSince: (_viewer, sinceId, limit) => since(sinceId, limit),
  changesSince: async () => edited.map((status) => ({ atMs: Date.now(), status })),
  nowOf: async (ids) => ids.map((id) => stored.find((one) => one.id === id)),
  publications: { ...NO_SOURCES.publications, has: (id) => (awaited.has(id) ? false : undefined) },
};

before(async () => {
  await gateway.start([], { streams: sources }, (async () => NO_RELATIONS) as never);
  await gateway.giveAccount(account(ALICE));
  await gateway.giveToken('alice', { accountId: ALICE, scopes: ['read'] });
});
after(() => gateway.stop());
test.afterEach(() => {
  rendered = () => undefined;
  edited.length = 0;
});

let minted = 0n;
function post(): string {
  const nowId = BigInt(makeId(Date.now(), 0, 1));
  minted = minted < nowId ? nowId : minted + 1n;
  const status = plainStatus(String(minted), ALICE);
  stored.push(status);
  tell(bus, 'update', status);
  return status.id;
}
/** Stores statuses of which no message arrives. */
function lost(count: number): string[] {
  bus.losing = true;
  const ids = Array.from({ length: count }, post);
  bus.losing = false;
  return ids;
}
async function opened(name = 'public'): Promise<EventStream> {
  const stream = await EventStream.open(gateway, name, 'alice');
  await until('the first post', () => (post() !== '' && stream.updates().length > 0) || undefined, WAIT_MS);
  return stream;
}
const shown = (stream: EventStream, id: string) =>
  until('the status', () => stream.updates().includes(id) || undefined, WAIT_MS);
/** Reports the gap when the status is rendered. */
function gapAt(id: string | undefined, isForOne = false): void {
  rendered = (one, forOne) => {
    if (one !== id || forOne !== isForOne) return;
    rendered = () => undefined;
    awaited.clear();
    bus.gap(STATUSES_TOPIC);
  };
}

test('statuses after a lost one wait for the catch-up of a gap that is reported meanwhile', async () => {
  for (const [name, isForOne] of [
    ['public', false],
    ['user', true],
  ] as const) {
    const stream = await opened(name);
    const ids = lost(6);
    awaited.add(String(ids[1]));
    gapAt(ids[2], isForOne);
    bus.gap(STATUSES_TOPIC);
    await shown(stream, String(ids.at(-1)));
    await shown(stream, String(ids[1]));
    const came = stream.updates().filter((id) => ids.includes(id));
    assert.deepEqual(came, ids, name);
    await stream.close();
  }
});

test('a resumed stream still gets the edits that it had not sent when a gap was reported', async () => {
  const stream = await opened();
  const seen = [post(), post(), post()];
  await shown(stream, String(seen.at(-1)));
  const { position } = stream;
  await stream.close();
  for (const id of seen) {
    const place = stored.findIndex((one) => one.id === id);
    const status = { ...(stored[place] as StoreStatusRecord), text: 'edited', editedAtMs: 1 };
    stored[place] = status;
    edited.push(status);
  }
  gapAt(seen[0]);
  const resumed = await EventStream.open(gateway, `public?since=${position}`, 'alice');
  const updated = () => resumed.dataOf('status.update').map((data) => (JSON.parse(data) as { id: string }).id);
  await until('the last edit', () => updated().includes(String(seen.at(-1))) || undefined, WAIT_MS);
  assert.deepEqual([...new Set(updated())], seen);
  await resumed.close();
});
