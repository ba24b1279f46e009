import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WebSocket } from 'undici';
import { makeId } from '../../../../actors/domain/ids.js';
import type { Publication } from '../../../../actors/timelines/publications.js';
import { StreamSubscription } from '../../../../gateway/streaming/connection.js';
import { sinceOf } from '../../../../gateway/streaming/position.js';
import type { StreamSources } from '../../../../gateway/streaming/sources.js';
import { StreamEvent } from '../../../../gateway/streaming/stream-event.js';
import { streamNamed } from '../../../../gateway/streaming/stream-kinds.js';
import { codec } from '../../../../proto/codec.js';
import type { StoreStatusRecord } from '../../../../proto/gen/types.js';
import { accountTopic } from '../../../../transport/bus.js';
import { InProcessHub } from '../../../../transport/in-process-bus.js';
import { EventStream } from '../../../kit/network/event-stream.js';
import { until } from '../../../kit/time/until.js';
import { ALICE, account, GatewayFixture, realClock } from '../../http/gateway-fixture.js';
import { NO_RELATIONS, NO_SOURCES, rendering } from '../no-sources.js';
import { plainStatus, tell } from '../told-status.js';

const WAIT_MS = 30_000;
/** More ids than a position contains. */
const MANY = 300;
const bus = new InProcessHub(realClock).bus('one');
const gateway = new GatewayFixture(bus);
let stored: StoreStatusRecord[] = [];
/** Statuses that were published late, as their rows say. */
let late: StoreStatusRecord[] = [];
/** Ids of published statuses, in their order. */
let published: string[] = [];
/** True when the node has started after these statuses were published. */
let isForgetful = false;
/** Called before a status is rendered. */
let rendered: (id: string) => void = () => undefined;
/** Resolves when the viewer's relations may be read. */
let loading: Promise<void> | undefined;
const sources: StreamSources = {
  ...NO_SOURCES,
  ...rendering(({ id }) => {
    rendered(id);
    return { id };
  }),
  publicSince: async (_viewer, sinceId, limit) => stored.filter(({ id }) => id > sinceId).slice(0, limit),
  changesSince: async () => late.map((status) => ({ atMs: Date.now(), status: { ...status, late: true } })),
  publications: {
    has: (id, before) => (isForgetful ? undefined : published.slice(0, before).includes(id)),
    get received() {
      return published.length;
    },
    isLate: (id) => late.some((status) => status.id === id && status.aboveFloors !== true),
    lateSince: () => [],
  },
  nowOf: async (ids) => ids.map((id) => stored.find((one) => one.id === id)),
};

before(async () => {
  await gateway.start([], { streams: sources }, (async () => {
    await loading;
    return NO_RELATIONS;
  }) as never);
  await gateway.giveAccount(account(ALICE));
  await gateway.giveToken('alice', { accountId: ALICE, scopes: ['read'] });
});
after(() => gateway.stop());
test.afterEach(() => {
  stored = [];
  late = [];
  published = [];
  rendered = () => undefined;
  isForgetful = false;
});

let minted = 0n;
function store(): StoreStatusRecord {
  const nowId = BigInt(makeId(Date.now(), 0, 1));
  minted = minted < nowId ? nowId : minted + 1n;
  const status = plainStatus(String(minted), ALICE);
  stored.push(status);
  return status;
}
function publish(status: StoreStatusRecord, how?: Publication): void {
  published.push(status.id);
  tell(bus, 'update', status, how);
}
function post(): string {
  const status = store();
  publish(status);
  return status.id;
}
/** Publishes a status long after it was stored, when its row says so, and that no floor has passed it. */
function publishLate(status: StoreStatusRecord, aboveFloors?: true): void {
  late.push({ ...status, aboveFloors });
  publish(status, { late: true, aboveFloors });
}
/** Publishes statuses again, as the next owner of their actors does after a crash. */
const publishAgain = (statuses: readonly StoreStatusRecord[]) => {
  for (const status of statuses) tell(bus, 'update', status, { mayRepeat: true });
};
const shown = (ids: () => readonly string[], id: string) =>
  until('the status', () => ids().includes(id) || undefined, WAIT_MS);

/** Opens a stream of server-sent events that has sent many statuses. */
async function streamOfMany(): Promise<EventStream> {
  const stream = await EventStream.open(gateway, 'public', 'alice');
  await until('the first post', () => (post() !== '' && stream.updates().length > 0) || undefined, WAIT_MS);
  for (let n = 0; n < MANY; n++) post();
  await shown(() => stream.updates(), post());
  return stream;
}

test('statuses that are published again come once to a stream, also after its client has resumed it', async () => {
  const stream = await streamOfMany();
  publishAgain(stored);
  await shown(() => stream.updates(), post());
  assert.equal(new Set(stream.updates()).size, stream.updates().length);
  const { position } = stream;
  await stream.close();
  const resumed = await EventStream.open(gateway, 'public', 'alice', position);
  await shown(() => resumed.updates(), post());
  publishAgain(stored);
  const last = post();
  await shown(() => resumed.updates(), last);
  assert.deepEqual(resumed.updates(), [stored.at(-2)?.id, last]);
  await resumed.close();
});

test('statuses that are published again come once to a resumed WebSocket, too', async () => {
  const stream = await streamOfMany();
  await stream.close();
  const query = `access_token=alice&stream=public&since=${stream.position}`;
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/api/v1/streaming?${query}`);
  const heard: string[] = [];
  socket.addEventListener('message', ({ data }) => void heard.push(JSON.parse(JSON.parse(String(data)).payload).id));
  const first = post();
  await shown(() => heard, first);
  publishAgain(stored);
  const last = post();
  await shown(() => heard, last);
  assert.deepEqual(heard, [first, last]);
  socket.close();
});

test('a status that was not published before its owner crashed is sent, also to a stream that resumed meanwhile', async () => {
  const stream = await EventStream.open(gateway, 'public', 'alice');
  await until('the first post', () => (post() !== '' && stream.updates().length > 0) || undefined, WAIT_MS);
  const unpublished = store();
  stored.pop();
  await shown(() => stream.updates(), post());
  await stream.close();
  const resumed = await EventStream.open(gateway, 'public', 'alice', stream.position);
  await shown(() => resumed.updates(), post());
  const begun = await EventStream.open(gateway, 'public', 'alice');
  await until('the first post', () => (post() !== '' && begun.updates().length > 0) || undefined, WAIT_MS);
  publishAgain([unpublished]);
  const last = post();
  for (const one of [resumed, begun]) {
    await shown(() => one.updates(), last);
    assert.equal(one.updates().filter((id) => id === unpublished.id).length, 1);
    await one.close();
  }
});

const times = (stream: EventStream, { id }: StoreStatusRecord) => stream.updates().filter((one) => one === id).length;

test('a status that the next owner publishes comes once to streams whose positions are beyond it', async () => {
  const first = await EventStream.open(gateway, 'public', 'alice');
  await until('the first post', () => (post() !== '' && first.updates().length > 0) || undefined, WAIT_MS);
  const delayed = store();
  for (let n = 0; n < MANY; n++) post();
  await shown(() => first.updates(), post());
  await first.close();
  const { position } = first;
  const [open, moving] = [
    await EventStream.open(gateway, 'public', 'alice', position),
    await EventStream.open(gateway, 'public', 'alice', position),
  ];
  await shown(() => moving.updates(), post());
  await moving.close();
  publishLate(delayed);
  const moved = await EventStream.open(gateway, 'public', 'alice', moving.position);
  const last = post();
  for (const stream of [open, moved]) {
    await shown(() => stream.updates(), last);
    assert.equal(times(stream, delayed), 1);
    await stream.close();
    const again = await EventStream.open(gateway, 'public', 'alice', stream.position);
    await shown(() => again.updates(), post());
    assert.equal(times(again, delayed), 0);
    await again.close();
  }
});

test('hundreds of late statuses that no floor has passed come once to a stream that is resumed', async () => {
  const stream = await EventStream.open(gateway, 'public', 'alice');
  await until('the first post', () => (post() !== '' && stream.updates().length > 0) || undefined, WAIT_MS);
  for (let n = 0; n < MANY; n++) publishLate(store(), true);
  for (let n = 0; n < MANY; n++) post();
  await shown(() => stream.updates(), post());
  await stream.close();
  const resumed = await EventStream.open(gateway, 'public', 'alice', stream.position);
  const last = post();
  await shown(() => resumed.updates(), last);
  assert.deepEqual(resumed.updates(), [last]);
  await resumed.close();
});

test('a stream that began after a late status was posted gets it, also if it is published while nobody listens', async () => {
  const [posted, other] = [store(), store()];
  const stream = await EventStream.open(gateway, 'public', 'alice');
  await until('the first post', () => (post() !== '' && stream.updates().length > 0) || undefined, WAIT_MS);
  publishLate(other, true);
  await shown(() => stream.updates(), other.id);
  await stream.close();
  publishLate(posted, true);
  const resumed = await EventStream.open(gateway, 'public', 'alice', stream.position);
  const last = post();
  await shown(() => resumed.updates(), last);
  assert.deepEqual([times(resumed, posted), times(resumed, other)], [1, 0]);
  await resumed.close();
});

test('a catch-up leaves out a status that is not published yet: its message comes once', async () => {
  const first = await EventStream.open(gateway, 'public', 'alice');
  await until('the first post', () => (post() !== '' && first.updates().length > 0) || undefined, WAIT_MS);
  const delayed = store();
  await shown(() => first.updates(), post());
  await first.close();
  const stream = await EventStream.open(gateway, 'public', 'alice', first.position);
  await shown(() => stream.updates(), post());
  assert.equal(times(stream, delayed), 0);
  publishLate(delayed);
  for (let n = 0; n < MANY; n++) post();
  await shown(() => stream.updates(), post());
  assert.equal(times(stream, delayed), 1);
  await stream.close();
  const again = await EventStream.open(gateway, 'public', 'alice', stream.position);
  await shown(() => again.updates(), post());
  assert.equal(times(again, delayed), 0);
  await again.close();
});

test('statuses that are published while a catch-up reads come in the order in which they were published', async () => {
  const first = await EventStream.open(gateway, 'public', 'alice');
  await until('the first post', () => (post() !== '' && first.updates().length > 0) || undefined, WAIT_MS);
  await first.close();
  const [earlier, read, later] = [store(), store(), store()];
  published.push(read.id);
  rendered = (id) => {
    if (id !== read.id) return;
    rendered = () => undefined;
    for (const status of [earlier, later]) publish(status);
  };
  const resumed = await EventStream.open(gateway, 'public', 'alice', first.position);
  await shown(() => resumed.updates(), later.id);
  await shown(() => resumed.updates(), earlier.id);
  const came = resumed.updates().filter((id) => id >= earlier.id);
  assert.deepEqual(came, [read.id, earlier.id, later.id]);
  await resumed.close();
});

test('a late status that was sent comes once, also after a catch-up on a node that did not receive what it sends', async () => {
  const first = await EventStream.open(gateway, 'public', 'alice');
  await until('the first post', () => (post() !== '' && first.updates().length > 0) || undefined, WAIT_MS);
  const delayed = store();
  await shown(() => first.updates(), post());
  publishLate(delayed);
  await shown(() => first.updates(), delayed.id);
  await first.close();
  for (let n = 0; n < 2 * MANY; n++) post();
  isForgetful = true;
  const resumed = await EventStream.open(gateway, 'public', 'alice', first.position);
  await shown(() => resumed.updates(), post());
  await resumed.close();
  const again = await EventStream.open(gateway, 'public', 'alice', resumed.position);
  await shown(() => again.updates(), post());
  assert.deepEqual([times(resumed, delayed), times(again, delayed)], [0, 0]);
  await again.close();
});

test('a resumed stream sends what its client missed before what is published meanwhile, however much that is', async () => {
  const first = await EventStream.open(gateway, 'public', 'alice');
  await until('the first post', () => (post() !== '' && first.updates().length > 0) || undefined, WAIT_MS);
  await first.close();
  const missed = stored.filter(({ id }) => !first.updates().includes(id)).map(({ id }) => id);
  missed.push(post());
  let load = () => {};
  loading = new Promise((resolve) => {
    load = resolve;
  });
  // Events wait for the relations of their viewer; the second stream comes after some of them.
  const begun = await EventStream.open(gateway, 'public', 'alice');
  const relations = codec('murmuration.node.AccountTopic').encode({ accountId: ALICE, kind: 'relations' });
  bus.publish(accountTopic(ALICE), relations);
  for (let n = 0; n < MANY; n++) missed.push(post());
  const resumed = await EventStream.open(gateway, 'public', 'alice', first.position);
  load();
  missed.push(post());
  await shown(() => resumed.updates(), String(missed.at(-1)));
  assert.deepEqual(resumed.updates(), missed);
  await begun.close();
  await resumed.close();
});

const T0 = 1_700_000_000_000;
const at = (ms: number) => makeId(T0 + ms, 7, 0);

/** A stream of that kind that resumes from the floor, and its events. */
function resumedAt(name: string, floor: string) {
  const kind = streamNamed(name);
  const since = sinceOf(floor);
  assert.ok(kind !== undefined && since !== undefined && 'floor' in since);
  const sent: string[] = [];
  let position = floor;
  const send = (event: StreamEvent, _kind: unknown, where?: () => Buffer) => {
    sent.push(event.id ?? '');
    position = where?.().toString() ?? position;
  };
  const socket = { send, heartbeat: () => {}, drained: () => undefined, close: () => {} };
  const clock = { nowMs: () => T0 + 1_000, monotonicMs: () => 0, publishedMs: () => 0 };
  const stream = new StreamSubscription(kind, ['read'], socket, since, clock);
  return { stream, sent, position: () => position };
}
const event = (id: string) => new StreamEvent('any', '{}', id);

test('notifications and conversations that are published again come once, late ones come', () => {
  const { stream, sent } = resumedAt('user', at(100));
  stream.notification(event(at(50)), at(50), true);
  stream.conversation(event(at(50)), at(50), true);
  assert.deepEqual(sent, []);
  stream.notification(event(at(60)), at(60));
  stream.notification(event(at(60)), at(60), true);
  stream.notification(event(at(150)), at(150), true);
  stream.conversation(event(at(70)), at(70));
  stream.conversation(event(at(160)), at(160), true);
  stream.conversation(event(at(160)), at(160), true);
  assert.deepEqual(sent, [at(60), at(150), at(70), at(160)]);
});

test('a reblog that a home stream left out stays out after a resume', () => {
  const { stream, sent, position } = resumedAt('user', at(100));
  const shows = (id: string, reblogOfId?: string) =>
    stream.status(event(id), { id, reblogOfId, editedAtMs: 0 } as StoreStatusRecord);
  shows(at(110));
  shows(at(120), at(110));
  shows(at(130));
  assert.deepEqual(sent, [at(110), at(130)]);
  const again = resumedAt('user', position());
  const reblog = { id: at(120), reblogOfId: at(110), editedAtMs: 0 } as StoreStatusRecord;
  assert.equal(again.stream.statuses.has(reblog.id), true);
  again.stream.status(event(reblog.id), reblog);
  assert.deepEqual(again.sent, []);
});
