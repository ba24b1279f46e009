import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type MessageEvent, WebSocket } from 'undici';
import { Unavailable } from '../../../actors/domain/problem.js';
import { OwnTime } from '../../kit/time/own-time.js';
import { until } from '../../kit/time/until.js';
import { ALICE, account, GatewayFixture } from '../http/gateway-fixture.js';
import { NO_RELATIONS, NO_SOURCES } from './no-sources.js';

const WAIT_MS = 5_000;
const gateway = new GatewayFixture();
/** Reply of the viewer's actor about a list. */
let lookUp: () => Promise<unknown> = async () => ({});

before(async () => {
  const ask = async (_id: string, command: string) => (command === 'list' ? lookUp() : NO_RELATIONS);
  await gateway.start([], { streams: NO_SOURCES }, ask as never);
  await gateway.giveAccount(account(ALICE));
  await gateway.giveToken('alice', { accountId: ALICE, scopes: ['read'] });
});
after(() => gateway.stop());

test('one connection opens a bounded number of lists, existing or not', async () => {
  // The reply that the list does not exist is still missing.
  lookUp = () => new Promise(() => undefined);
  const refusals: number[] = [];
  const socket = new WebSocket(`ws://127.0.0.1:${gateway.server.port}/api/v1/streaming?access_token=alice`);
  socket.addEventListener('message', (event: MessageEvent) =>
    refusals.push((JSON.parse(event.data as string) as { status: number }).status),
  );
  await until('the socket is open', () => socket.readyState === 1 || undefined, WAIT_MS);
  for (let list = 1; list <= 62; list++) socket.send(JSON.stringify({ type: 'subscribe', stream: 'list', list }));
  await until('the refusals', () => refusals.length === 2 || undefined, WAIT_MS);
  assert.deepEqual(refusals, [429, 429]);
  socket.send(JSON.stringify({ type: 'unsubscribe', stream: 'list', list: 7 }));
  socket.send(JSON.stringify({ type: 'subscribe', stream: 'list', list: 70 }));
  socket.send('{');
  await until('the answer to the last message', () => refusals.at(-1) === 400 || undefined, WAIT_MS);
  assert.deepEqual(refusals, [429, 429, 400], 'another one fits in its place');
  socket.close();
});

test('a list’s stream is refused for now while the viewer’s actor is unreachable', async () => {
  lookUp = async () => {
    throw new Unavailable('its shard is moving');
  };
  const headers = { authorization: 'Bearer alice' };
  const answer = await fetch(`${gateway.url}/api/v1/streaming/list?list=5`, { headers });
  assert.equal(answer.status, 503);
});

test('a stream whose token is revoked while it opens does not stay open for long', async () => {
  await gateway.giveToken('hasty', { accountId: ALICE, scopes: ['read'] });
  lookUp = async () => {
    await gateway.takeToken('hasty');
    return {};
  };
  const headers = { authorization: 'Bearer hasty' };
  const answer = await fetch(`${gateway.url}/api/v1/streaming/list?list=5`, { headers });
  assert.equal(answer.status, 200);
  const time = new OwnTime();
  await answer.text();
  assert.ok(time.stop() < 1_000);
});
