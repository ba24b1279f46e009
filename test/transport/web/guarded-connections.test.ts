import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { AddressGuard } from '../../../transport/address-guard.js';
import { GuardedConnections } from '../../../transport/web/guarded-connections.js';
import { until } from '../../kit/time/until.js';

async function listen(): Promise<Server> {
  const server = createServer((request, response) => {
    const answer = () =>
      response
        .writeHead(
          200,
          [
            ['x-more', 'one'],
            ['x-more', 'two'],
          ].flat(),
        )
        .end('here');
    if (request.url === '/slow') setTimeout(answer, 200);
    else answer();
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  return server;
}

const sockets = (server: Server) => promisify(server.getConnections.bind(server))();

const servers: Server[] = [];
before(async () => void servers.push(...(await Promise.all(Array.from({ length: 4 }, listen)))));
after(async () => {
  for (const server of servers) server.closeAllConnections();
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
});

test('the connections of the servers unused for longest are closed, but not those in use', async () => {
  const connections = new GuardedConnections({
    ...{ guard: new AddressGuard(['loopback']), userAgent: 'test', connectionsMax: 4, timeoutMs: 5_000 },
    ...{ serversMax: 2, keptMs: 60_000 },
  });
  const ask = (server: Server | undefined, path = '/') =>
    connections.send({
      ...{
        method: 'GET',
        url: new URL(`http://127.0.0.1:${((server as Server).address() as AddressInfo).port}${path}`),
      },
      ...{ headers: {}, signal: AbortSignal.timeout(20_000), bytesMax: 100, skippedBytesMax: 0, reads: () => true },
    });
  const slow = ask(servers[0], '/slow');
  for (const server of servers) {
    const answer = await ask(server);
    assert.ok(typeof answer === 'object' && answer.body instanceof Uint8Array);
    assert.deepEqual([String(answer.body), answer.headers['x-more']], ['here', 'one']);
  }
  assert.equal(typeof (await slow), 'object', 'the request in flight was answered');
  const open = async () => Promise.all(servers.map(sockets));
  await until(
    'two servers without connections',
    async () => (await open()).filter((count) => count === 0).length >= 2,
    10_000,
  );
  assert.equal((await open())[3], 1);
  await connections.close();
  await until('no connection', async () => (await open()).every((count) => count === 0), 10_000);
});

test('concurrent requests to a server take as many connections as allowed, and further ones wait', async () => {
  const connections = new GuardedConnections({
    ...{ guard: new AddressGuard(['loopback']), userAgent: 'test', timeoutMs: 5_000, connectionsMax: 3 },
    keptMs: 60_000,
  });
  const server = servers[0] as Server;
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/slow`);
  const ask = () =>
    connections.send({
      ...{ method: 'GET', url, headers: {}, signal: AbortSignal.timeout(20_000), bytesMax: 100, skippedBytesMax: 0 },
      reads: () => true,
    });
  const answers = await Promise.all(Array.from({ length: 7 }, ask));
  assert.ok(answers.every((answer) => typeof answer === 'object' && answer.status === 200));
  assert.equal(await sockets(server), 3);
  await ask();
  assert.equal(await sockets(server), 3, 'a later request uses a kept connection');
  await connections.close();
  await until('no connection', async () => (await sockets(server)) === 0, 10_000);
});
