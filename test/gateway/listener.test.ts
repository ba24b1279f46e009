import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { json, route } from '../../gateway/http/route.js';
import { GatewayFixture } from './http/gateway-fixture.js';

const routes = [route({ method: 'GET', path: '/now', auth: 'none', handle: () => json({ when: 'now' }) })];
/** Bound of a drain; it ends a second after the last request. */
const DRAIN_MS_MAX = 5_000;
/** Time for which the event loop stands still, and in which the kernel queues connections. */
const BUSY_MS = 20;
const CONNECTIONS = 20;

/** Opens a connection and asks for an answer; returns it, or the code of the error that came instead. */
async function answerOf(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /now HTTP/1.1\r\nHost: a\r\n\r\n');
  let answer = '';
  socket.on('data', (bytes) => (answer += bytes));
  try {
    await once(socket, 'close');
    return answer;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/** Resolves when `connect` has asked the kernel for its connection: it does so in the next tick. */
const opened = () => new Promise<void>((resolve) => process.nextTick(resolve));

function standStill(): void {
  const endMs = performance.now() + BUSY_MS;
  while (performance.now() < endMs);
}

test('connections that clients opened before a drain stops listening are answered, and close', async () => {
  const gateway = await new GatewayFixture().start(routes);
  const answers = Array.from({ length: CONNECTIONS }, () => answerOf(gateway.server.port));
  await opened();
  const drained = gateway.server.drain(DRAIN_MS_MAX);
  for (const answer of await Promise.all(answers)) {
    assert.match(answer, /^HTTP\/1\.1 200/);
    assert.match(answer, /\r\nconnection: close\r\n/i);
  }
  await drained;
  assert.equal(await answerOf(gateway.server.port), 'ECONNREFUSED');
  await gateway.stop();
});

test('connections that arrive while the event loop stands still just before are answered, too', async () => {
  const gateway = await new GatewayFixture().start(routes);
  const answers: Promise<string>[] = [];
  const busy = (async () => {
    for (let turn = 0; turn < CONNECTIONS; turn++) {
      // Asked for before the drain asks, so that these come first in each turn.
      await new Promise((resolve) => setImmediate(resolve));
      answers.push(answerOf(gateway.server.port));
      await opened();
      standStill();
    }
  })();
  const drained = gateway.server.drain(DRAIN_MS_MAX);
  await busy;
  for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 200/);
  await drained;
  await gateway.stop();
});
