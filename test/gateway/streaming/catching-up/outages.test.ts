import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type CloseEvent, WebSocket } from 'undici';
import { makeId } from '../../../../actors/domain/ids.js';
import { CATCH_UP_SENT_MAX } from '../../../../gateway/streaming/catching-up.js';
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

const WAIT_MS = 30_000;
/** As many statuses as may wait for rendering. */
const WAITING = 1_000;
const bus = lossyBus(new InProcessHub(realClock).bus('one'));
const gateway = new GatewayFixture(bus);
/** Statuses in the store, oldest first, and those that are not visible in it yet. */
let stored: StoreStatusRecord[] = [];
let unseen = new Set<string>();
/** Statuses whose first rendering waits: the one for the live event. */
const slow = new Set<string>();
/** True while new statuses are added to `slow`. */
let slowing = false;
let held: Promise<void> = Promise.resolve();

const sources: StreamSources = {
  ...NO_SOURCES,
  ...rendering(async ({ id }) => {
    if (slow.delete(id)) await held;
    return { id };
  }),
  publicSince: async (_viewer, sinceId, limit) =>
    stored.filter(({ id }) => id > sinceId && !unseen.has(id)).slice(0, limit),
  nowOf: async (ids) => ids.map((id) => stored.find((one) => one.id === id)),
};

before(async () => {
  await gateway.start([], { streams: sources }, (async () => NO_RELATIONS) as never);
  await gateway.giveAccount(account(ALICE));
  await gateway.giveToken('alice', { accountId: ALICE, scopes: ['read'] });
});
after(() => gateway.stop());

let minted = 0n;
/** Returns a rising id, above the positions of streams that are open. */
function mint(): string {
  const nowId = BigInt(makeId(Date.now(), 0, 1));
  minted = minted < nowId ? nowId : minted + 1n;
  return String(minted);
}
/** Stores a status, then publishes it if the bus works. */
function post(): string {
  const id = mint();
  if (slowing) slow.add(id);
  const status = plainStatus(id, ALICE);
  stored.push(status);
  tell(bus, 'update', status);
  return id;
}
const posts = (count: number) => Array.from({ length: count }, post);
function lost(count: number): string[] {
  bus.losing = true;
  const ids = posts(count);
  bus.losing = false;
  return ids;
}
/** Opens a stream that receives everything posted from now on, and collects its events. */
async function opened(since?: string): Promise<EventStream> {
  const stream = await EventStream.open(gateway, `public${since === undefined ? '' : `?since=${since}`}`, 'alice');
  if (since !== undefined) return stream;
  await until('the first post', () => (post() !== '' && stream.updates().length > 0) || undefined, WAIT_MS);
  return stream;
}
const shown = (stream: EventStream, id: string) =>
  until('the status', () => stream.updates().includes(id) || undefined, WAIT_MS);
function assertWhole(stream: EventStream): void {
  const ids = stream.updates();
  const wanted = stored.map(({ id }) => id).filter((id) => id >= String(ids[0]));
  const came = new Set(ids);
  assert.equal(came.size, ids.length, 'nothing comes twice');
  assert.deepEqual(
    wanted.filter((id) => !came.has(id)),
    [],
    'nothing is missing',
  );
}

test('a status that waits while a thousand others are caught up is sent once', async () => {
  const stream = await opened();
  let release = () => {};
  held = new Promise((resolve) => {
    release = resolve;
  });
  lost(1_500);
  slowing = true;
  posts(WAITING);
  slowing = false;
  const [late] = lost(600).slice(-1);
  bus.gap(STATUSES_TOPIC);
  await shown(stream, String(late));
  release();
  await shown(stream, post());
  assertWhole(stream);
  await stream.close();
});

test('statuses that become visible in the store only after a catch-up are sent, too, however many there were', async () => {
  const stream = await opened();
  const ids = lost(3_000);
  unseen = new Set(ids.slice(10, 13));
  bus.gap(STATUSES_TOPIC);
  await shown(stream, String(ids.at(-1)));
  unseen = new Set();
  bus.gap(STATUSES_TOPIC);
  await shown(stream, String(ids[12]));
  await shown(stream, post());
  assertWhole(stream);
  await stream.close();
});

test('a client that missed more than one catch-up sends is disconnected, and resumes', async () => {
  const stream = await opened();
  lost(CATCH_UP_SENT_MAX + 500);
  bus.gap(STATUSES_TOPIC);
  await until('the end of the stream', () => stream.ended || undefined, WAIT_MS);
  const resumed = await opened(stream.updates().at(-1));
  await shown(resumed, String(minted));
  resumed.events.unshift(...stream.events);
  assertWhole(resumed);
  await resumed.close();
});

test('a resumed client gets statuses that were published late, even after later ones, and nothing twice', async () => {
  const stream = await opened();
  const [, late] = [post(), lost(1)[0], post()];
  const last = post();
  await shown(stream, last);
  const position = stream.events.at(-1)?.id ?? '';
  assert.ok(position.startsWith(`${last}~`), position);
  await stream.close();
  const missed = lost(2);
  const resumed = await opened(position);
  await shown(resumed, post());
  assert.deepEqual(resumed.updates(), [late, ...missed, String(minted)]);
  resumed.events.unshift(...stream.events);
  const socket = new WebSocket(
    `${gateway.url.replace('http', 'ws')}/api/v1/streaming?access_token=alice&stream=public&since=${position}`,
  );
  const heard: string[] = [];
  socket.addEventListener('message', ({ data }) => void heard.push(JSON.parse(JSON.parse(String(data)).payload).id));
  await until('the same by a WebSocket', () => heard.length === 4 || undefined, WAIT_MS);
  assert.deepEqual(heard, [late, ...missed, String(minted)]);
  socket.close();
  await resumed.close();
});

test('a WebSocket that resumes at the event_id of its last frame misses nothing and gets nothing twice', async () => {
  const heard: { readonly event_id?: string; readonly payload: string }[] = [];
  const open = async (since?: string) => {
    const query = `access_token=alice&stream=public${since === undefined ? '' : `&since=${since}`}`;
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/api/v1/streaming?${query}`);
    socket.addEventListener('message', ({ data }) => void heard.push(JSON.parse(String(data))));
    const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    return { socket, closed };
  };
  const ids = () => heard.map(({ payload }) => (JSON.parse(payload) as { id: string }).id);
  const { socket, closed } = await open();
  await until('the first post', () => (post() !== '' && heard.length > 0) || undefined, WAIT_MS);
  const [late = ''] = [lost(1)[0], post()];
  const last = post();
  await until('the last post', () => ids().includes(last) || undefined, WAIT_MS);
  socket.close();
  await closed;
  const before = ids();
  const missed = lost(2);
  const resumed = await open(heard.at(-1)?.event_id);
  const after = post();
  await until('what came afterwards', () => ids().includes(after) || undefined, WAIT_MS);
  assert.deepEqual(ids(), [...before, late, ...missed, after]);
  resumed.socket.close();
});

test('events that a stream has been sent do not use up its catch-up', async () => {
  const stream = await opened();
  for (let n = 0; n < 5; n++) {
    const last = posts(900).at(-1);
    await shown(stream, String(last));
  }
  const [missed] = lost(1);
  bus.gap(STATUSES_TOPIC);
  await shown(stream, String(missed));
  assertWhole(stream);
  await stream.close();
});

test('a node without the bus for five seconds disconnects its streams and refuses new ones until the bus is back', async () => {
  const stream = await opened();
  const socket = new WebSocket(
    `${gateway.url.replace('http', 'ws')}/api/v1/streaming?access_token=alice&stream=public`,
  );
  const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve));
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  bus.down = true;
  bus.downForMs = 4_999;
  // A restarted server is back before that.
  await (await EventStream.open(gateway, 'public', 'alice')).close();
  bus.downForMs = 5_001;
  assert.equal((await closed).code, 1013);
  await until('the end of the stream', () => stream.ended || undefined, WAIT_MS);
  for (const path of ['public?access_token=alice', 'health']) {
    const refused = await fetch(`${gateway.url}/api/v1/streaming/${path}`);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5']);
    await refused.body?.cancel();
  }
  lost(3);
  bus.down = false;
  const resumed = await opened(stream.updates().at(-1));
  await shown(resumed, post());
  resumed.events.unshift(...stream.events);
  assertWhole(resumed);
  await resumed.close();
});

test.afterEach(() => {
  stored = [];
});
