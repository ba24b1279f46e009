import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { json, route } from '../../../gateway/http/route.js';
import { GatewayFixture, rawExchange } from './gateway-fixture.js';

const gateway = new GatewayFixture();
const full = new GatewayFixture();
const routes = [
  route({ method: 'GET', path: '/now', auth: 'none', handle: () => json({ when: 'now' }) }),
  route({ method: 'POST', path: '/echo', auth: 'none', handle: async ({ body }) => json(body) }),
];
before(async () => {
  await gateway.start(routes);
  await full.start(routes, { cutOff: () => true });
});
after(async () => {
  await gateway.stop();
  await full.stop();
});

/** A second request, at the place where the ambiguous headers allow a body. */
const SMUGGLED = 'GET /now HTTP/1.1\r\nHost: a\r\n\r\n';
const CHUNKED_END = '0\r\n\r\n';

/** Returns the statuses of all answers until the server closes the connection. */
async function statuses(port: number, bytes: string): Promise<string> {
  const text = await rawExchange(port, bytes, () => false, 60_000);
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status ?? '').join(' ');
}

const AMBIGUOUS: Readonly<Record<string, readonly string[]>> = {
  'two lengths, the first 0': ['Content-Length: 0', `Content-Length: ${SMUGGLED.length}`],
  'two lengths, the second 0': [`Content-Length: ${SMUGGLED.length}`, 'Content-Length: 0'],
  'two equal lengths': ['Content-Length: 0', 'Content-Length: 0'],
  'a length and chunks': ['Content-Length: 0', 'Transfer-Encoding: chunked'],
  'chunks and a length': ['Transfer-Encoding: chunked', 'Content-Length: 0'],
  'two transfer encodings': ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
  'an unknown transfer encoding': ['Transfer-Encoding: xchunked'],
  'chunks of compressed data': ['Transfer-Encoding: gzip, chunked'],
  identity: ['Transfer-Encoding: identity'],
  'an empty transfer encoding': ['Transfer-Encoding:'],
  'two hosts': ['Host: b'],
};

/** Cases in which all readers agree about the end, so that a node that refuses everything need not check them. */
const SAME_END = new Set(['two hosts', 'an empty transfer encoding']);

test('no bytes behind a request with ambiguous framing are read as another request', async () => {
  for (const [name, headers] of Object.entries(AMBIGUOUS)) {
    for (const start of ['POST /echo', 'GET /now', 'GET /health', 'OPTIONS /echo', 'GET /api/v1/streaming/health']) {
      for (const end of ['', CHUNKED_END]) {
        const bytes = `${start} HTTP/1.1\r\nHost: a\r\n${headers.join('\r\n')}\r\n\r\n${end}${SMUGGLED}`;
        // The connection closes without an answer if the rest came in the same packet. 505: the bytes were no request.
        assert.match(await statuses(gateway.server.port, bytes), /^(400|505)?$/, `${name}: ${start} ${end}`);
      }
    }
  }
});

test('a request with ambiguous framing is refused and its connection closed', async () => {
  for (const [name, headers] of Object.entries(AMBIGUOUS)) {
    for (const server of [gateway.server, full.server]) {
      if (server === full.server && SAME_END.has(name)) continue;
      const text = await rawExchange(
        server.port,
        `POST /echo HTTP/1.1\r\nHost: a\r\n${headers.join('\r\n')}\r\n\r\n`,
        () => false,
        60_000,
      );
      assert.match(text, /^HTTP\/1\.1 400 /, name);
      assert.match(text, /connection: close/i, name);
    }
  }
});

test('a node that refuses every request reads no bytes behind ambiguous framing either', async () => {
  for (const [name, headers] of Object.entries(AMBIGUOUS)) {
    if (SAME_END.has(name)) continue;
    const bytes = `POST /echo HTTP/1.1\r\nHost: a\r\n${headers.join('\r\n')}\r\n\r\n${SMUGGLED}`;
    assert.match(await statuses(full.server.port, bytes), /^(400)?$/, name);
  }
});

test('chunked bodies and plain lengths still work, and the connection stays open', async () => {
  const chunked =
    'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: Chunked\r\n\r\n7\r\n{"a":1}\r\n0\r\n\r\n';
  const plain = 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}';
  for (const first of [chunked, plain]) {
    const text = await rawExchange(gateway.server.port, first, (got) => got.endsWith('{"a":1}'));
    assert.match(text, /^HTTP\/1\.1 200 /);
    assert.doesNotMatch(text, /connection: close/i);
  }
});
