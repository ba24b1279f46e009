import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { Client } from '../../../load/clients/client.js';
import { streamTargetsOf } from '../../../load/clients/stream-address.js';
import { admit } from '../../../load/clients/target-guard.js';

/** The server's own description, by path; any other path is not found. */
let said: Readonly<Record<string, string>> = {};
let server: Server;
let url: string;
let passedOver: string | undefined;

before(async () => {
  server = createServer((request, response) => {
    const json = said[request.url ?? ''];
    response.writeHead(json === undefined ? 404 : 200).end(json);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

async function found(paths: Readonly<Record<string, object | string>>, nodes = 1): Promise<string[]> {
  said = Object.fromEntries(
    Object.entries(paths).map(([path, json]) => [path, typeof json === 'string' ? json : JSON.stringify(json)]),
  );
  const target = await admit(url, []);
  const client = new Client([target], 1, 5_000);
  try {
    const targets = Array.from({ length: nodes }, () => target);
    const found = await streamTargetsOf(client, targets, []);
    passedOver = found.passedOver;
    return found.targets.map(({ origin }) => origin);
  } finally {
    await client.close();
  }
}

const second = (streaming: unknown) => ({ '/api/v2/instance': { configuration: { urls: { streaming } } } });
const first = (streaming: unknown) => ({ '/api/v1/instance': { urls: { streaming_api: streaming } } });

test('streams are opened where the server says, in both versions of its description', async () => {
  assert.deepEqual(await found(second('ws://127.0.0.1:4000')), ['http://127.0.0.1:4000']);
  assert.deepEqual(await found(second('wss://localhost/api/v1/streaming')), ['https://localhost']);
  assert.deepEqual(await found(first('ws://[::1]:4000')), ['http://[::1]:4000']);
  assert.deepEqual(await found({ ...second(undefined), ...first('ws://127.0.0.1:4001') }), ['http://127.0.0.1:4001']);
});

test('an address that may not be loaded is replaced by the server itself', async () => {
  for (const foreign of ['wss://203.0.113.5', 'ws://0.0.0.0:4000', 'wss://[2001:db8::1]']) {
    assert.deepEqual(await found(second(foreign)), [url]);
    assert.ok(passedOver?.includes(foreign.replace('ws', 'http')) && passedOver.includes('--i-own-this-server'));
    assert.deepEqual(await found(first(foreign)), [url]);
  }
});

test('an address that only looks like this machine counts as another machine', async () => {
  for (const foreign of ['ws://localhost@203.0.113.5', 'ws://203.0.113.5#localhost', 'ws:203.0.113.5', 'ws://0:4000']) {
    assert.deepEqual(await found(second(foreign)), [url], foreign);
  }
});

test('a server without a valid stream address serves its streams itself', async () => {
  assert.deepEqual(await found({}), [url]);
  assert.deepEqual(await found({ '/api/v2/instance': 'no JSON', '/api/v1/instance': '[]' }), [url]);
  assert.equal(passedOver, undefined);
  assert.deepEqual(await found({ '/api/v2/instance': 'null', '/api/v1/instance': '{"urls":null}' }), [url]);
  assert.deepEqual(await found({ ...second(7), ...first('no address') }), [url]);
});

test('each of several nodes serves its own streams', async () => {
  assert.deepEqual(await found(second('ws://127.0.0.1:4000'), 2), [url, url]);
});
