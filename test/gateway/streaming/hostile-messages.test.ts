import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { MESSAGES_MAX, MESSAGES_SPAN_MS, MessageCount } from '../../../gateway/streaming/endpoints/web-socket.js';
import { urlOf } from '../../kit/network/sockets.js';
import { TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';

const WAIT_MS = 10_000;
/** Subscriptions of one connection. */
const SUBSCRIPTIONS_MAX = 60;
const RAW_SOCKETS = 20;

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server?.stop());

/** JSON that does not convert to text, a number or a boolean without an error, or to a very long text. */
const VALUES = [
  '{"toString":1,"valueOf":2}',
  '[{"toString":1,"valueOf":2}]',
  '{"__proto__":{"toString":1}}',
  `${'['.repeat(1_800)}${']'.repeat(1_800)}`,
  ...['null', 'true', '-1', '1e400', '9007199254740993', '""', '"\\u0000"', '"\\ud800"', '"__proto__"', '"toString"'],
  `"${'ﷺ'.repeat(1_200)}"`,
  `"${'~'.repeat(3_500)}"`,
  `"${'9'.repeat(3_500)}"`,
];
const FIELDS = ['type', 'stream', 'list', 'tag', 'any', 'all', 'none', 'only_media', 'since'];
const STREAMS = ['user', 'list', 'hashtag', 'public'];

interface Client {
  readonly socket: WebSocket;
  readonly answers: string[];
}

async function opened(token: string): Promise<Client> {
  const socket = new WebSocket(`${urlOf(server).replace('http', 'ws')}/api/v1/streaming?access_token=${token}`);
  const answers: string[] = [];
  socket.on('message', (bytes) => void answers.push(String(bytes)));
  await once(socket, 'open');
  return { socket, answers };
}

/** Sends a message, and waits until the server has read it. */
async function send({ socket }: Client, message: string | Buffer): Promise<void> {
  socket.send(message);
  socket.ping();
  await once(socket, 'pong');
}

test('no message of a WebSocket ends the process, and each invalid one is refused', async () => {
  const { token } = await server.person('ada');
  let wrong = 0;
  for (const stream of STREAMS) {
    const client = await opened(token);
    for (const field of FIELDS)
      for (const value of VALUES)
        await send(client, `{"type":"unsubscribe","stream":"${stream}","tag":"a","list":"1","${field}":${value}}`);
    assert.equal(client.socket.readyState, WebSocket.OPEN);
    client.socket.close();
    wrong += client.answers.length;
  }
  const client = await opened(token);
  for (const message of ['', 'null', '1', '"x"', '[]', '{}', '{"type":"subscribe"}', Buffer.from([0xff, 0xfe])])
    await send(client, message);
  wrong += client.answers.length;
  assert.ok(wrong > STREAMS.length * VALUES.length, `${wrong} refusals`);
  client.answers.length = 0;
  await send(client, '{"type":"subscribe","stream":"user","since":{"toString":1,"valueOf":2}}');
  assert.deepEqual(
    client.answers.map((answer) => JSON.parse(answer)),
    [{ error: 'Malformed message', status: 400 }],
  );
  assert.equal(client.socket.readyState, WebSocket.OPEN);
  assert.equal((await server.get('/health')).status, 200);
  client.socket.close();
});

test('a WebSocket with too many messages gets an error and is closed; others continue, and it may reconnect', async () => {
  const { token } = await server.person('bob');
  const [flood, other] = [await opened(token), await opened(token)];
  const closed = once(flood.socket, 'close');
  for (let sent = 0; sent < MESSAGES_MAX + 50; sent++) flood.socket.send('{"type":"unsubscribe","stream":"user"}');
  const [code, reason] = await closed;
  assert.deepEqual([code, String(reason)], [1008, 'too many messages']);
  assert.deepEqual(
    flood.answers.map((answer) => JSON.parse(answer)),
    [{ error: 'Too many messages', status: 429 }],
  );
  await send(other, 'null');
  const again = await opened(token);
  await send(again, 'null');
  assert.deepEqual([other.answers.length, again.answers.length], [1, 1]);
  for (const { socket } of [other, again]) socket.close();
});

test('a connection may send its limit of messages in each span', () => {
  const count = new MessageCount();
  const admitted = (nowMs: number) =>
    Array.from({ length: MESSAGES_MAX + 5 }, () => count.admits(nowMs)).filter((is) => is).length;
  assert.deepEqual(
    [admitted(0), admitted(MESSAGES_SPAN_MS - 1), admitted(MESSAGES_SPAN_MS)],
    [MESSAGES_MAX, 0, MESSAGES_MAX],
  );
});

test('long names are refused with an error, and the socket stays', async () => {
  const { token } = await server.person('cleo');
  const client = await opened(token);
  const long = 'x'.repeat(3_900);
  for (const message of [
    { stream: long },
    { stream: 'list', list: long },
    { stream: 'list', list: '9'.repeat(3_900) },
    { stream: `user${'\u0000'.repeat(600)}` },
  ]) {
    for (const type of ['subscribe', 'unsubscribe']) await send(client, JSON.stringify({ type, ...message }));
  }
  assert.equal(client.answers.length, 8);
  for (const answer of client.answers) assert.ok(JSON.parse(answer).error.length < 100, answer);
  assert.equal(client.socket.readyState, WebSocket.OPEN);
  client.socket.close();
  for (const query of [`stream=${long}`, `stream=list&list=${long}`])
    assert.ok([400, 404].includes((await server.ask('GET', `/api/v1/streaming?${query}`, undefined, token)).status));
});

test('a frame above the limit ends its socket and no other', async () => {
  const { token } = await server.person('dan');
  const other = await opened(token);
  for (const bytes of [4_097, 65_536, 4_000_000]) {
    const client = await opened(token);
    client.socket.on('error', () => {});
    const closed = once(client.socket, 'close');
    client.socket.send('x'.repeat(bytes));
    await closed;
    assert.deepEqual(client.answers, []);
  }
  await send(other, 'null');
  assert.equal(other.answers.length, 1);
  other.socket.close();
});

test('a connection has a bounded number of subscriptions; further ones are refused, and unknown ones may be ended', async () => {
  const { token } = await server.person('eve');
  const client = await opened(token);
  const message = (type: string, n: number) => JSON.stringify({ type, stream: 'hashtag', tag: `tag${n}` });
  await send(client, message('unsubscribe', 0));
  assert.deepEqual(client.answers, [], 'a stream that was not subscribed to');
  await send(client, '{"type":"unsubscribe","stream":"nothing"}');
  assert.deepEqual(JSON.parse(client.answers.pop() ?? ''), { error: 'Unknown stream type', status: 400 });
  for (let n = 0; n < 3 * SUBSCRIPTIONS_MAX; n++) client.socket.send(message('subscribe', n));
  await send(client, message('unsubscribe', 0));
  assert.equal(client.answers.length, 2 * SUBSCRIPTIONS_MAX);
  for (const answer of client.answers) assert.deepEqual(JSON.parse(answer), { error: 'Too many streams', status: 429 });
  client.answers.length = 0;
  await send(client, message('subscribe', 1_000));
  assert.deepEqual(client.answers, [], 'there is room for another one');
  client.socket.close();
});

test('random bytes on upgraded sockets end at most those sockets', async () => {
  const { token } = await server.person('fay');
  const { hostname, port } = new URL(urlOf(server));
  const request = `GET /api/v1/streaming?stream=user&access_token=${token} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
  const sockets = await Promise.all(
    Array.from({ length: RAW_SOCKETS }, async () => {
      const socket = connect(Number(port), hostname, () => socket.write(request));
      socket.on('error', () => {});
      await once(socket, 'data');
      return socket;
    }),
  );
  const other = await opened(token);
  for (const socket of sockets) for (const bytes of [1, 2, 100, 10_000]) socket.write(randomBytes(bytes));
  await send(other, 'null');
  assert.equal((await server.get('/health')).status, 200);
  for (const socket of sockets) socket.destroy();
  other.socket.close();
  await until('another stream', async () => (await opened(token)).socket.readyState === WebSocket.OPEN, WAIT_MS);
});
