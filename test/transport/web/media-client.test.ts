import assert from 'node:assert/strict';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { AddressGuard } from '../../../transport/address-guard.js';
import { MediaClient, type MediaClientOptions } from '../../../transport/web/media-client.js';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1');
const image = { 'content-type': 'image/png' };

/** Answers of the far server by path. */
const answers: Record<string, (response: ServerResponse) => void> = {
  '/a.png': (response) => response.writeHead(200, image).end(PNG),
  '/told-too-large': (response) => response.writeHead(200, { ...image, 'content-length': 5_000 }).write(PNG),
  '/too-large': (response) => response.writeHead(200, image).end(Buffer.alloc(5_000)),
  '/slow': (response) => response.writeHead(200, image).write(PNG),
  '/never': () => undefined,
  '/page': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<script>'),
  '/packed': (response) => response.writeHead(200, { ...image, 'content-encoding': 'gzip' }).end(PNG),
  '/broken': (response) => response.writeHead(500, image).end(PNG),
  '/moved': (response) => response.writeHead(302, { location: '/a.png' }).end(),
  '/inward': (response) => response.writeHead(302, { location: `http://127.0.0.2:${portOf(canary)}/x.png` }).end(),
  '/file': (response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  '/round': (response) => response.writeHead(302, { location: '/round' }).end(),
};
let far: Server;
let canary: Server;
let touched = 0;

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const at = (path: string) => `http://127.0.0.1:${portOf(far)}${path}`;
const listen = (server: Server, host: string) =>
  new Promise<void>((listening) => void server.listen(0, host, listening));

before(async () => {
  far = createServer((request, response) => answers[request.url ?? '']?.(response));
  canary = createServer().on('connection', () => {
    touched += 1;
  });
  await Promise.all([listen(far, '127.0.0.1'), listen(canary, '127.0.0.2')]);
});
after(async () => {
  for (const server of [far, canary]) {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

async function using<T>(work: (client: MediaClient) => Promise<T>, more: Partial<MediaClientOptions> = {}): Promise<T> {
  const guard = new AddressGuard(['127.0.0.1']);
  const client = new MediaClient({ guard, userAgent: 'test', isSuspended: () => false, bytesMax: 1_000, ...more });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

test('a file is fetched, also behind a redirect', () =>
  using(async (client) => {
    for (const path of ['/a.png', '/moved']) assert.deepEqual(await client.fetch(at(path)), PNG);
  }));

test('a body that is too large, packed, broken or of another type is no file', () =>
  using(async (client) => {
    for (const path of ['/told-too-large', '/too-large', '/page', '/packed', '/broken', '/round', '/file'])
      assert.equal(await client.fetch(at(path)), 'missing', path);
  }));

test('a fetch from a server that is slow or does not answer ends in time', () =>
  using(
    async (client) => {
      const found = await Promise.all(['/slow', '/never'].map((path) => client.fetch(at(path))));
      assert.deepEqual(found, ['missing', 'missing']);
    },
    { timeoutMs: 200 },
  ));

test('a fifth fetch of a host waits, and is refused when its time is over', () =>
  using(
    async (client) => {
      const found = await Promise.all(Array.from({ length: 5 }, () => client.fetch(at('/never'))));
      assert.deepEqual(found.toSorted(), ['busy', 'missing', 'missing', 'missing', 'missing']);
    },
    { waitMs: 200, timeoutMs: 400 },
  ));

test('no address that is not public is reached, directly, by its spellings or by a redirect', () =>
  using(async (client) => {
    const port = portOf(canary);
    const direct = [
      '127.0.0.2',
      '2130706434',
      '0x7f.2',
      '0177.0.0.2',
      '[::ffff:127.0.0.2]',
      'localhost',
      'user@127.0.0.2',
    ];
    for (const host of direct) {
      for (const protocol of ['http', 'https'])
        assert.equal(await client.fetch(`${protocol}://${host}:${port}/x.png`), 'missing', host);
    }
    assert.equal(await client.fetch(at('/inward')), 'missing');
    for (const address of ['', 'x', 'ftp://127.0.0.1/x', 'data:image/png;base64,AAAA'])
      assert.equal(await client.fetch(address), 'missing', address);
    assert.equal(touched, 0);
  }));

test('nothing is fetched from suspended servers', () =>
  using(async (client) => assert.equal(await client.fetch(at('/a.png')), 'missing'), { isSuspended: () => true }));
