import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { LINGER_BYTES_MAX, LINGER_MS } from '../../../gateway/http/lingering.js';
import { json, route } from '../../../gateway/http/route.js';
import { GatewayFixture } from './gateway-fixture.js';

const MIB = 1_048_576;
const PIECE = Buffer.alloc(65_536, 0x20);
/** More bytes than the buffers of two sockets hold. */
const BUFFERED_BYTES_MAX = 16 * MIB;
const SLACK_MS = 20_000;
const routes = [route({ method: 'POST', path: '/things', auth: 'none', handle: async () => json({}) })];
const open = new GatewayFixture();
/** A gateway that refuses every request. */
const refusing = new GatewayFixture();
/** A gateway that blocks every address. */
const blocking = new GatewayFixture();
/** A gateway that has answered as many requests of this address as it may. */
const limiting = new GatewayFixture();

before(async () => {
  await open.start(routes);
  await refusing.start(routes, { cutOff: () => true });
  await blocking.start(routes, { blocked: { any: true, has: () => true, onChanged: () => undefined } });
  const upload = { method: 'POST', path: '/api/v1/things', auth: 'none', multipartBytesMax: 40 * MIB } as const;
  await limiting.start([route({ ...upload, handle: async () => json({}) })]);
});
after(() => Promise.all([open, refusing, blocking, limiting].map((gateway) => gateway.stop())));

const announcing = (bytes: number) => `POST /things HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n`;
const UPLOADED = `POST /api/v1/things HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=a\r\n`;
const CHUNKED = 'POST /things HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
const CHUNK = Buffer.concat([Buffer.from('10000\r\n'), PIECE, Buffer.from('\r\n')]);

interface Sent {
  /** Bytes that the connection accepted before it was closed. */
  readonly bytes: number;
  readonly answer: string;
  /** Time from the opening to the closing of the connection. */
  readonly closedMs: number;
}

/** Sends a head and pieces of a body until the connection closes. Reads nothing before `readAfter` bytes are sent. */
function send(
  { server }: GatewayFixture,
  head: string,
  body: { readonly piece: Buffer; readonly bytesMax: number; readonly readAfter: number; readonly everyMs?: number },
): Promise<Sent> {
  return new Promise((resolve) => {
    let [bytes, answer] = [0, ''];
    const openedMs = performance.now();
    const socket = connect(server.port, '127.0.0.1');
    const next = () => {
      if (socket.destroyed) return;
      if (bytes >= body.readAfter && socket.listenerCount('data') === 0) socket.on('data', (data) => (answer += data));
      if (bytes >= body.bytesMax) return;
      socket.write(body.piece, (error) => {
        if (error) return;
        bytes += body.piece.length;
        setTimeout(next, body.everyMs ?? 0);
      });
    };
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ bytes, answer, closedMs: performance.now() - openedMs }));
    socket.write(head, next);
  });
}

const assertWhole = (answer: string, status: number) => {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  assert.match(head, new RegExp(`^HTTP/1.1 ${status} `));
  assert.match(head, /^connection: close$/im);
  assert.equal(Number(/^content-length: (\d+)$/im.exec(head)?.[1]), body.length);
  assert.equal(typeof JSON.parse(body).error, 'string');
};

test('a client that reads only after it has sent everything gets the refusal of a large upload', async () => {
  const body = { bytesMax: 24 * MIB, readAfter: 20 * MIB };
  const announced = send(open, announcing(24 * MIB), { piece: PIECE, ...body });
  const chunked = send(open, CHUNKED, { piece: CHUNK, ...body });
  const overloaded = send(refusing, announcing(24 * MIB), { piece: PIECE, ...body });
  assertWhole((await announced).answer, 413);
  assertWhole((await overloaded).answer, 503);
  assertWhole((await chunked).answer, 413);
});

test('a client whose address is blocked or has made too many requests gets that answer after a large upload', async () => {
  const { port } = limiting.server;
  const limit = await fetch(`http://127.0.0.1:${port}/api/v1/things`, { method: 'POST' });
  const left = Number(limit.headers.get('x-ratelimit-remaining'));
  for (let request = 0; request < left; request++)
    await (await fetch(`http://127.0.0.1:${port}/api/v1/things`, { method: 'POST' })).text();
  const body = { piece: PIECE, bytesMax: 24 * MIB, readAfter: 20 * MIB };
  const limited = send(limiting, `${UPLOADED}Content-Length: ${24 * MIB}\r\n\r\n`, body);
  const blocked = send(blocking, announcing(24 * MIB), body);
  const chunked = send(blocking, CHUNKED, { ...body, piece: CHUNK });
  // The whole upload is read, because the route accepts it, so the connection may be used again.
  assert.match((await limited).answer, /^HTTP\/1.1 429 [\s\S]*\r\n\r\n\{"error":"Too many requests"\}$/);
  assertWhole((await blocked).answer, 403);
  assertWhole((await chunked).answer, 403);
});

test('a refused request whose body is in one packet with its head is answered, too', async () => {
  const body = { piece: PIECE, bytesMax: 0, readAfter: 0 };
  assertWhole((await send(refusing, `${CHUNKED}5\r\nhello\r\n0\r\n\r\n`, body)).answer, 503);
});

test('an endless sender is disconnected at a bound of bytes', async () => {
  const { bytes } = await send(open, announcing(9_999_999_999), { piece: PIECE, bytesMax: 1_000 * MIB, readAfter: 0 });
  assert.ok(bytes > 0 && bytes < LINGER_BYTES_MAX + BUFFERED_BYTES_MAX, `${bytes} bytes`);
});

test('a slow endless sender is disconnected at a bound of time, with its answer', async () => {
  // Much faster than the HTTP library's lowest rate of 16 KiB/s, which ends slower senders after some ten seconds.
  const piece = Buffer.alloc(8_000, 0x20);
  const head = announcing(9_999_999_999);
  const { answer, closedMs } = await send(open, head, { piece, bytesMax: 1_000 * MIB, readAfter: 0, everyMs: 50 });
  assertWhole(answer, 413);
  assert.ok(closedMs >= LINGER_MS - 100 && closedMs < LINGER_MS + SLACK_MS, `${closedMs} ms`);
});
