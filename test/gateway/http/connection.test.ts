import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { json, type Request, route } from '../../../gateway/http/route.js';
import { until } from '../../kit/time/until.js';
import { GatewayFixture, rawExchange } from './gateway-fixture.js';

/** Requests as a handler sees them after the client has disconnected. */
const gone: { method: string; address: string }[] = [];
const slow = (method: string) => async (request: Request<object, unknown, unknown>) => {
  await until('the client has gone', () => leaving.has(method) || undefined, 5_000);
  gone.push({ method, address: request.remoteAddress });
  return json({});
};
const leaving = new Set<string>();

const lines: { fields: object; message: string }[] = [];
let level = 'debug';

const gateway = new GatewayFixture();
before(() =>
  gateway.start(
    [
      route({ method: 'GET', path: '/slow', auth: 'none', handle: slow('GET') }),
      route({ method: 'POST', path: '/slow', auth: 'none', handle: slow('POST') }),
      route({ method: 'GET', path: '/now', auth: 'none', handle: () => json({ when: 'now' }) }),
      route({ method: 'GET', path: '/later', auth: 'none', handle: async () => json({ when: 'later' }) }),
      route({ method: 'GET', path: '/linked', auth: 'none', handle: () => json([], { Link: '<a>; rel="next"' }) }),
      route({
        method: 'GET',
        path: '/forged',
        auth: 'none',
        handle: () => json([], { link: 'x\r\nset-cookie: a=b' }),
      }),
    ],
    {
      logger: {
        debug: (fields, message) => void lines.push({ fields, message }),
        info: () => {},
        warn: () => {},
        error: () => {},
        isLevelEnabled: (asked) => asked === level,
      },
    },
  ),
);
after(() => gateway.stop());

/** Sends requests one after the other on one connection; returns the answers as received. */
async function inTurn(...requests: readonly string[]): Promise<string[]> {
  const whole = requests.map((request) => `${request} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');
  const count = (text: string) => text.split('HTTP/1.1 ').length - 1;
  const text = await rawExchange(
    gateway.server.port,
    whole,
    (got) => count(got) === requests.length && got.endsWith('}'),
    60_000,
  );
  return text
    .split('HTTP/1.1 ')
    .slice(1)
    .map((answer) => `HTTP/1.1 ${answer}`);
}

test('synchronous and asynchronous answers have the same headers', async () => {
  const [now = '', later = ''] = await inTurn('GET /now', 'GET /later');
  const headers = (answer: string) =>
    answer
      .slice(0, answer.indexOf('\r\n\r\n'))
      .split('\r\n')
      .map((line) => line.replace(/^(x-request-id|date): .*/i, '$1').replace(/^content-length: .*/i, 'length'));
  assert.match(now, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(now, /\r\n\r\n\{"when":"now"\}$/);
  assert.match(later, /\r\n\r\n\{"when":"later"\}$/);
  assert.deepEqual(headers(now), headers(later));
  const wanted = ['access-control-allow-origin: *', 'x-content-type-options: nosniff', 'x-request-id'];
  for (const header of wanted) assert.ok(headers(now).includes(header), header);
});

test('each answer has a request id of its own', async () => {
  const answers = await inTurn('GET /now', 'GET /now', 'GET /later', 'GET /nowhere', 'GET /now');
  const ids = answers.map((answer) => /x-request-id: (\S+)\r\n/.exec(answer)?.[1]);
  assert.equal(new Set(ids).size, 5, ids.join(' '));
});

test('the connection accepts another request after HEAD and a preflight', async () => {
  const [head = '', preflight = '', last = ''] = await inTurn('HEAD /now', 'OPTIONS /now', 'GET /now');
  assert.match(head, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(head, /content-length: 14\r\n/i);
  assert.match(preflight, /^HTTP\/1\.1 204 No Content\r\n/);
  assert.doesNotMatch(preflight, /content-length/i);
  assert.match(last, /\{"when":"now"\}$/);
});

test('a route adds headers of its own, and no value can begin another header', async () => {
  assert.equal((await fetch(`${gateway.url}/linked`)).headers.get('link'), '<a>; rel="next"');
  const forged = await fetch(`${gateway.url}/forged`);
  assert.equal(forged.status, 500);
  assert.equal(forged.headers.get('set-cookie'), null);
});

test('a write knows its sender after the connection has closed; a read that nobody counts does not', async () => {
  for (const method of ['POST', 'GET']) {
    const socket = connect(gateway.server.port, '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    socket.write(`${method} /slow HTTP/1.1\r\nHost: a\r\n\r\n`);
    await inTurn('GET /now');
    socket.destroy();
    // A later request on another connection is answered, so the server has processed the end of this one.
    await new Promise<void>((resolve) => socket.once('close', () => resolve()));
    await inTurn('GET /now');
    leaving.add(method);
  }
  await until('both handlers have asked', () => gone.length === 2 || undefined, 5_000);
  assert.deepEqual(gone, [
    { method: 'POST', address: '127.0.0.1' },
    { method: 'GET', address: '' },
  ]);
  assert.match((await inTurn('GET /now'))[0] ?? '', /^HTTP\/1\.1 200/);
});

test('requests are logged if the log level asks for it', async () => {
  lines.length = 0;
  await inTurn('GET /now');
  assert.equal(lines.length, 1);
  const [line] = lines;
  const { id, ms, ...rest } = (line?.fields ?? {}) as { id: string; ms: number };
  assert.deepEqual(rest, { method: 'GET', path: '/now', status: 200 });
  assert.ok(id.length > 8 && ms >= 0);
  level = 'info';
  await inTurn('GET /now', 'GET /later');
  assert.equal(lines.length, 1);
});

/** Sends the pieces one after the other on one connection, each in a segment of its own. */
async function inPieces(first: string, second: string): Promise<string> {
  const socket = connect(gateway.server.port, '127.0.0.1');
  socket.setNoDelay(true);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  socket.write(first);
  // A later request is answered, so the server has read the first piece.
  await inTurn('GET /now');
  socket.write(second);
  await until('an answer', () => text.includes('\r\n\r\n') || undefined, 5_000);
  socket.destroy();
  await closed;
  return text;
}

test('a method or headers in two TCP segments are read, and so is a first line, except on Node 20', async () => {
  const [nodeMajor] = process.versions.node.split('.').map(Number);
  const line = nodeMajor === 20 ? /^HTTP\/1\.1 505 / : /^HTTP\/1\.1 200 /;
  assert.match(await inPieces('GE', 'T /now HTTP/1.1\r\nHost: a\r\n\r\n'), /^HTTP\/1\.1 200 /);
  assert.match(await inPieces('GET /now HTTP/1.1\r\nHo', 'st: a\r\n\r\n'), /^HTTP\/1\.1 200 /);
  assert.match(await inPieces('GET /n', 'ow HTTP/1.1\r\nHost: a\r\n\r\n'), line);
});

test('HTTP/1.0 is refused with 505', async () => {
  const text = await rawExchange(gateway.server.port, 'GET /now HTTP/1.0\r\nHost: a\r\n\r\n', () => false);
  assert.match(text, /^HTTP\/1\.1 505 /);
});
