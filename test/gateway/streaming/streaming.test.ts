import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { type CloseEvent, type MessageEvent, WebSocket } from 'undici';
import { makeId } from '../../../actors/domain/ids.js';
import { tokenHash } from '../../../gateway/http/authenticator.js';
import type { StoredNotification } from '../../../gateway/notifications/stored-notification.js';
import type { StreamSources } from '../../../gateway/streaming/sources.js';
import { codec } from '../../../proto/codec.js';
import type { AccountFollowingEdge, AccountSourceList, StoreStatusRecord } from '../../../proto/gen/types.js';
import { accountTopic, STATUSES_TOPIC } from '../../../transport/bus.js';
import { InProcessHub } from '../../../transport/in-process-bus.js';
import { EventStream } from '../../kit/network/event-stream.js';
import { lossyBus } from '../../kit/network/lossy-bus.js';
import { OwnTime } from '../../kit/time/own-time.js';
import { until } from '../../kit/time/until.js';
import { ALICE, account, BOB, GatewayFixture, realClock } from '../http/gateway-fixture.js';
import { NO_SOURCES, piecesOf } from './no-sources.js';

const CAROL = '000000000000000003';

const bus = lossyBus(new InProcessHub(realClock).bus('one'));
const gateway = new GatewayFixture(bus);
const stored = { statuses: [] as StoreStatusRecord[], notifications: [] as StoredNotification[] };
const follows = new Map<string, AccountFollowingEdge[]>();
const blocked = new Map<string, string[]>();
const lists = new Map<string, AccountSourceList[]>();
let rendered = 0;
let padding = '';
const since = <T extends { readonly id: string }>(items: readonly T[], id: string, limit: number) =>
  items.filter((item) => item.id > id).slice(0, limit);
const tagged = (tag: string) => stored.statuses.filter(({ tags }) => tags.includes(tag));
const entityOf = ({ id, text }: StoreStatusRecord) => ({ id, content: text + padding });
const sources: StreamSources = {
  ...NO_SOURCES,
  renderStatus: (record) => {
    rendered++;
    return piecesOf(entityOf(record));
  },
  renderFor: (_viewer, record) => piecesOf(entityOf(record)),
  renderNotification: (_viewer, id, record) => piecesOf({ id, type: record.type }),
  homeSince: async (_viewer, id, limit) => since(stored.statuses, id, limit),
  publicSince: async (_viewer, id, limit) => since(stored.statuses, id, limit),
  tagSince: async (_viewer, { tag }, id, limit) => since(tagged(tag), id, limit),
  notificationsSince: async (_viewer, id, limit) => since(stored.notifications, id, limit),
};

let mintedMs = 0;
let minted = 0;
/** Returns a rising id, as an actor mints them. */
function newId(): string {
  minted = (minted + 1) % 64;
  mintedMs = Math.max(Date.now(), minted === 0 ? mintedMs + 1 : mintedMs);
  return makeId(mintedMs, 7, minted);
}
function status(changes: Partial<StoreStatusRecord> = {}): StoreStatusRecord {
  return {
    id: newId(),
    accountId: BOB,
    conversationId: '1',
    text: 'hello\nthere "you"',
    html: '',
    spoilerText: '',
    visibility: 'public',
    sensitive: false,
    mentions: [],
    tags: [],
    createdAtMs: 0,
    editedAtMs: 0,
    deleted: false,
    favourites: 0,
    reblogs: 0,
    replies: 0,
    ...changes,
  };
}
function post(changes: Partial<StoreStatusRecord> = {}): StoreStatusRecord {
  const record = status(changes);
  stored.statuses.push(record);
  publishStatus('update', record);
  return record;
}
const publishStatus = (kind: string, record: StoreStatusRecord) =>
  bus.publish(
    STATUSES_TOPIC,
    codec('murmuration.node.StatusTopic').encode({
      kind,
      status: record,
      id: record.id,
      accountId: record.accountId,
      onlyTo: [],
      listed: true,
    }),
  );
const tell = (id: string, kind: string, more: object = {}) =>
  bus.publish(accountTopic(id), codec('murmuration.node.AccountTopic').encode({ kind, accountId: id, ...more }));
function notify(id: string): string {
  const notification = { type: 'follow', from: BOB, atMs: 0 };
  const notificationId = newId();
  stored.notifications.push({ id: notificationId, record: notification });
  tell(id, 'notification', { notificationId, notification });
  return notificationId;
}
const edge = (target: string, changes: Partial<AccountFollowingEdge> = {}): AccountFollowingEdge => ({
  target,
  edgeId: '1',
  pending: false,
  reblogs: true,
  notify: false,
  atMs: 0,
  ...changes,
});

interface Frame {
  readonly stream?: string[];
  readonly event?: string;
  readonly payload?: string;
  readonly error?: string;
  readonly status?: number;
}
class Client {
  readonly frames: Frame[] = [];
  closed: { code: number } | undefined;
  readonly socket: WebSocket;
  constructor(query: string, protocols?: string) {
    this.socket = new WebSocket(`ws://127.0.0.1:${gateway.server.port}/api/v1/streaming${query}`, protocols);
    this.socket.addEventListener('message', (event: MessageEvent) =>
      this.frames.push(JSON.parse(event.data as string)),
    );
    this.socket.addEventListener('close', (event: CloseEvent) => {
      this.closed = { code: event.code };
    });
    clients.push(this);
  }
  static async open(query: string, protocols?: string): Promise<Client> {
    const client = new Client(query, protocols);
    await until('open or refused', () => client.socket.readyState === 1 || client.closed, 5_000);
    return client;
  }
  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }
  ids(event = 'update'): string[] {
    return this.frames
      .filter((frame) => frame.event === event)
      .map((frame) =>
        event === 'delete' ? (frame.payload ?? '') : (JSON.parse(frame.payload ?? '{}') as { id: string }).id,
      );
  }
  async has(id: string, event = 'update'): Promise<void> {
    await until(`${event} of ${id}`, () => this.ids(event).includes(id) || undefined, 5_000);
  }
}
let clients: Client[] = [];

before(() =>
  gateway.start([], { streams: sources }, (async (id: string, command: string) => {
    if (command === 'list') return { problem: 'not_found', detail: 'Record not found' };
    assert.equal(command, 'sources');
    return {
      following: follows.get(id) ?? [],
      blocked: blocked.get(id) ?? [],
      ...{ blockedBy: [], mutedConversations: [] },
      muted: [],
      lists: lists.get(id) ?? [],
    };
  }) as never),
);
after(() => gateway.stop());
beforeEach(async () => {
  stored.statuses = [];
  stored.notifications = [];
  padding = '';
  bus.losing = false;
  bus.down = false;
  follows.clear();
  blocked.clear();
  lists.clear();
  follows.set(ALICE, [edge(BOB)]);
  for (const id of [ALICE, BOB, CAROL]) await gateway.giveAccount(account(id));
  await gateway.giveToken('alice', { accountId: ALICE, scopes: ['read'] });
  await gateway.giveToken('carol', { accountId: CAROL, scopes: ['read'] });
});
afterEach(async () => {
  for (const client of clients) client.socket.close();
  await until('all closed', () => clients.every((client) => client.closed !== undefined) || undefined, 5_000);
  clients = [];
});

test('a followed post is sent as one frame whose payload is JSON text', async () => {
  const alice = await Client.open('?access_token=alice&stream=user');
  const { id } = post();
  await alice.has(id);
  const frame = alice.frames[0];
  assert.deepEqual([frame?.stream, frame?.event], [['user'], 'update']);
  assert.deepEqual(JSON.parse(frame?.payload ?? ''), { id, content: 'hello\nthere "you"' });
});

test('one connection carries several streams, a frame for each, until unsubscribed', async () => {
  const alice = await Client.open('?access_token=alice');
  alice.send({ type: 'subscribe', stream: 'user' });
  alice.send({ type: 'subscribe', stream: 'public' });
  alice.send({ type: 'subscribe', stream: 'public' });
  alice.send({ type: 'subscribe', stream: 'nonsense' });
  await until('the answer to the last message', () => alice.frames[0], 5_000);
  const { id } = post();
  await until('two frames', () => alice.ids().length === 2 || undefined, 5_000);
  assert.deepEqual(alice.ids(), [id, id]);
  alice.send({ type: 'unsubscribe', stream: 'public' });
  alice.send('{');
  await until(
    'the answer to the last message',
    () => alice.frames.filter((one) => one.error).length === 2 || undefined,
    5_000,
  );
  const next = post();
  const sign = notify(ALICE);
  await alice.has(sign, 'notification');
  assert.deepEqual(alice.ids(), [id, id, next.id]);
});

test('the token may come as a sub-protocol, which is echoed, or in the header', async () => {
  const alice = await Client.open('?stream=public', 'alice');
  assert.equal(alice.socket.protocol, 'alice');
  await alice.has(post().id);
  const stream = await EventStream.open(gateway, 'user', 'alice');
  await until('the post', () => (post().id && stream.updates().length > 0) || undefined, 5_000);
  await stream.close();
});

test('bad tokens, streams and messages are refused and affect nobody else', async () => {
  const at = (path: string, token?: string) =>
    fetch(`${gateway.url}/api/v1/streaming${path}`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
  assert.equal((await at('/user')).status, 401);
  assert.equal((await at('/user', 'wrong')).status, 401);
  assert.equal((await at('/nothing', 'alice')).status, 404);
  assert.equal((await at('/user?since=abc', 'alice')).status, 400);
  assert.equal((await at('/user?access_token=%ff')).status, 400);
  await gateway.giveToken('narrow', { accountId: ALICE, scopes: ['read:statuses'] });
  assert.equal((await at('/user/notification', 'narrow')).status, 403);
  await gateway.giveToken('app', { scopes: ['read'] });
  assert.equal((await at('/public', 'app')).status, 422);
  assert.equal(await (await at('/health')).text(), 'OK');
  for (const query of [
    '?stream=user',
    '?stream=user&access_token=wrong',
    '?access_token=alice&stream=what',
    '?access_token=%00',
  ]) {
    const refused = await Client.open(query);
    assert.notEqual(refused.closed, undefined, query);
  }
  const alice = await Client.open('?access_token=narrow');
  for (const message of ['', '[]', 'null', '{"type":"subscribe"}', '{"type":"subscribe","stream":"user:notification"}'])
    alice.send(message);
  await until('five errors', () => alice.frames.length === 5 || undefined, 5_000);
  assert.deepEqual(
    alice.frames.map((frame) => frame.status),
    [400, 400, 400, 400, 403],
  );
  alice.send('x'.repeat(100_000));
  await until('the oversized message ends the connection', () => alice.closed, 5_000);
});

test('the home stream equals the home timeline: no strangers, no foreign replies, no hidden reblogs, nothing private', async () => {
  follows.set(ALICE, [edge(BOB, { reblogs: false }), edge('000000000000000008', { pending: true })]);
  const alice = await Client.open('?access_token=alice&stream=user');
  post({ accountId: CAROL });
  post({ accountId: '000000000000000008' });
  post({ visibility: 'direct' });
  post({ accountId: CAROL, visibility: 'private', mentions: [{ accountId: ALICE, username: '', acct: '', url: '' }] });
  post({ inReplyToId: '5', inReplyToAccountId: CAROL });
  post({ reblogOfId: '5', reblogOfAccountId: CAROL });
  const wanted = [
    post({ visibility: 'private' }),
    post({ inReplyToId: '5', inReplyToAccountId: BOB }),
    post({ inReplyToId: '5', inReplyToAccountId: ALICE }),
    post({ visibility: 'direct', mentions: [{ accountId: ALICE, username: '', acct: '', url: '' }] }),
    post({ accountId: ALICE, visibility: 'direct' }),
  ].map((record) => record.id);
  await alice.has(wanted.at(-1) ?? '');
  assert.deepEqual(alice.ids(), wanted);
});

test('a changed relation applies to later events, and blocks apply to public streams too', async () => {
  const alice = await Client.open('?access_token=alice&stream=user');
  const carol = await Client.open('?access_token=carol&stream=public');
  await carol.has(post().id);
  follows.set(ALICE, []);
  blocked.set(CAROL, [BOB]);
  tell(ALICE, 'relations');
  tell(CAROL, 'relations');
  const unwanted = post();
  const last = post({ accountId: ALICE });
  await Promise.all([alice.has(last.id), carol.has(last.id)]);
  assert.ok(!alice.ids().includes(unwanted.id));
  assert.ok(!carol.ids().includes(unwanted.id));
});

test('deletions reach viewers who may have seen the post', async () => {
  const alice = await Client.open('?access_token=alice&stream=user');
  const carol = await Client.open('?access_token=carol&stream=user');
  const record = post();
  await alice.has(record.id);
  publishStatus('delete', { ...record, deleted: true, text: '' });
  await alice.has(record.id, 'delete');
  const sign = notify(CAROL);
  await carol.has(sign, 'notification');
  assert.deepEqual(carol.ids('delete'), []);
});

test('each post is rendered once for any number of streams, and not at all for none', async () => {
  const many = await Promise.all(Array.from({ length: 5 }, () => Client.open('?access_token=alice&stream=user')));
  const first = post();
  await Promise.all(many.map((client) => client.has(first.id)));
  rendered = 0;
  post({ accountId: CAROL, visibility: 'private' });
  const { id } = post();
  await Promise.all(many.map((client) => client.has(id)));
  assert.equal(rendered, 1);
});

test('events that the bus lost come from the store, once, in order', async () => {
  const alice = await Client.open('?access_token=alice&stream=user');
  const first = post();
  await alice.has(first.id);
  bus.losing = true;
  const lost = Array.from({ length: 250 }, () => post().id);
  const sign = notify(ALICE);
  bus.losing = false;
  bus.gap();
  const last = post();
  await alice.has(last.id);
  await alice.has(sign, 'notification');
  bus.gap(STATUSES_TOPIC);
  const end = post();
  await alice.has(end.id);
  assert.deepEqual(alice.ids(), [first.id, ...lost, last.id, end.id]);
  assert.deepEqual(alice.ids('notification'), [sign]);
});

test('a stream opened during an outage of the bus gets all later events when it is back', async () => {
  bus.down = true;
  const carol = await Client.open('?access_token=carol&stream=public');
  const missed = post();
  bus.down = false;
  await carol.has(missed.id);
  assert.deepEqual(carol.ids(), [missed.id]);
});

test('a stream resumes after the last id that its client saw', async () => {
  const records = [post(), post(), post()];
  const sign = notify(ALICE);
  const stream = await fetch(`${gateway.url}/api/v1/streaming/user`, {
    headers: { authorization: 'Bearer alice', 'last-event-id': records[0]?.id ?? '' },
  });
  const reader = stream.body?.getReader();
  let text = '';
  await until(
    'everything after it',
    async () => {
      text += Buffer.from((await reader?.read())?.value ?? []).toString();
      return text.includes(sign) || undefined;
    },
    5_000,
  );
  await reader?.cancel();
  assert.ok(!text.includes(`id: ${records[0]?.id}\n`));
  assert.match(
    text,
    new RegExp(
      `event: update\ndata: .*\nid: ${records[1]?.id}~.*\n\n:\nevent: update\ndata: .*\nid: ${records[2]?.id}~.*\n\n`,
    ),
  );
});

test('an event ends its chunk at once, for clients that read chunk by chunk', async () => {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  socket.write('GET /api/v1/streaming/user HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer alice\r\n\r\n');
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  await until('the stream', () => text.includes(':)') || undefined, 5_000);
  const { id } = post();
  await until('the event', () => text.includes(`id: ${id}~`) || undefined, 5_000);
  socket.destroy();
  assert.match(text, new RegExp(`id: ${id}~.*\n\n\r\n`), JSON.stringify(text.slice(-60)));
});

test('a revoked token ends its streams and no others, within a second', async () => {
  await gateway.giveToken('other', { accountId: ALICE, scopes: ['read'] });
  const revoked = await Client.open('?access_token=alice&stream=user');
  const sse = await EventStream.open(gateway, 'user', 'alice');
  const other = await Client.open('?access_token=other&stream=user');
  await gateway.takeToken('alice');
  const time = new OwnTime();
  tell(ALICE, 'token_revoked', { tokenHash: tokenHash('alice') });
  await until('both closed', () => (revoked.closed !== undefined && sse.ended) || undefined, 5_000);
  assert.ok(time.stop() < 1_000);
  await other.has(post().id);
  assert.equal(other.closed, undefined);
});

test('a revocation that the bus lost is noticed with the gap', async () => {
  const alice = await Client.open('?access_token=alice&stream=user');
  await gateway.takeToken('alice');
  bus.gap();
  await until('closed', () => alice.closed, 5_000);
});

test('a reader that reads nothing is disconnected, and the others do not wait for it', async () => {
  padding = 'x'.repeat(200_000);
  const ended = { sse: false };
  const request = 'GET /api/v1/streaming/public?access_token=alice HTTP/1.1\r\nHost: a\r\n\r\n';
  const slow = connect(gateway.server.port, '127.0.0.1', () => slow.write(request));
  await new Promise<void>((resolve) => slow.once('data', () => resolve()));
  slow.pause();
  slow.on('close', () => {
    ended.sse = true;
  });
  slow.on('error', () => {});
  const quick = await Client.open('?access_token=alice&stream=public');
  let last = '';
  for (let i = 0; i < 100; i++) {
    last = post().id;
    await quick.has(last);
  }
  slow.resume();
  await until('the slow one is dropped', () => ended.sse || undefined, 5_000);
  assert.equal(quick.closed, undefined);
});

test('a WebSocket that reads nothing is disconnected, too, and an unreadable message affects nobody', async () => {
  padding = 'x'.repeat(200_000);
  let dropped = false;
  const request =
    'GET /api/v1/streaming?access_token=alice&stream=public HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n' +
    'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
  const slow = connect(gateway.server.port, '127.0.0.1', () => slow.write(request));
  await new Promise<void>((resolve) => slow.once('data', () => resolve()));
  slow.pause();
  slow.on('error', () => {});
  slow.on('close', () => {
    dropped = true;
  });
  const quick = await Client.open('?access_token=alice&stream=public');
  bus.publish(STATUSES_TOPIC, new Uint8Array([0xff, 0xff, 0xff]));
  bus.publish(accountTopic(ALICE), new Uint8Array([0xff, 0xff, 0xff]));
  for (let i = 0; i < 60; i++) await quick.has(post().id);
  slow.resume();
  await until('the slow one is dropped', () => dropped || undefined, 5_000);
  assert.equal(quick.closed, undefined);
});

test('a separate streaming address redirects every request, with path and query unchanged', async () => {
  const elsewhere = new GatewayFixture();
  const services = elsewhere.services();
  await elsewhere.start([], {
    streams: sources,
    services: { ...services, instance: { ...services.instance, streamingRedirect: 'wss://stream.example' } },
  });
  const answer = await fetch(`${elsewhere.url}/api/v1/streaming/public?a=1&b=%20`, { redirect: 'manual' });
  assert.equal(answer.status, 301);
  assert.equal(answer.headers.get('location'), 'https://stream.example/api/v1/streaming/public?a=1&b=%20');
  await elsewhere.stop();
});

test('a drain disconnects streams with a hint and serves later requests', async () => {
  const draining = await new GatewayFixture().start([], { streams: sources }, (async () => ({
    following: [],
    blocked: [],
    blockedBy: [],
  })) as never);
  await draining.giveAccount(account(ALICE));
  await draining.giveToken('alice', { accountId: ALICE, scopes: ['read'] });
  const keptAlive = connect(draining.server.port, '127.0.0.1');
  await new Promise<void>((resolve) => keptAlive.once('connect', resolve));
  const socket = new WebSocket(
    `ws://127.0.0.1:${draining.server.port}/api/v1/streaming?access_token=alice&stream=user`,
  );
  await new Promise<void>((resolve) => socket.addEventListener('open', () => resolve()));
  const closed = new Promise<number>((resolve) => socket.addEventListener('close', (event) => resolve(event.code)));
  const stream = await fetch(`${draining.url}/api/v1/streaming/user`, { headers: { authorization: 'Bearer alice' } });
  const drained = draining.server.drain(3_000);
  assert.equal(await closed, 1012);
  assert.match(await stream.text(), /retry: [0-9]+\n/);
  keptAlive.write('GET /health/ready HTTP/1.1\r\nHost: a\r\n\r\n');
  const answer = await new Promise<string>((resolve) => keptAlive.once('data', (chunk) => resolve(chunk.toString())));
  assert.match(answer, /^HTTP\/1\.1 503/);
  assert.match(answer, /connection: close/i);
  await drained;
  await assert.rejects(fetch(draining.url));
  await draining.stop();
});
