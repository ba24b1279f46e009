import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { afterEach, beforeEach, test } from 'node:test';
import { ANSWER_MS_MAX } from '../../../gateway/http/limits/answer-wait.js';
import { json, route } from '../../../gateway/http/route.js';
import { until } from '../../kit/time/until.js';
import { VirtualClock } from '../../kit/time/virtual-clock.js';
import { GatewayFixture } from './gateway-fixture.js';

const STATE_MS_MAX = 5_000;

let clock: VirtualClock;
let gateway: GatewayFixture;
/** Number of requests whose handlers run, and what lets them answer. */
let running: number;
let answerAll: () => void;

beforeEach(async () => {
  clock = new VirtualClock();
  gateway = new GatewayFixture();
  running = 0;
  const answered = new Promise<void>((resolve) => {
    answerAll = resolve;
  });
  const handle = async () => {
    running++;
    await answered;
    return json({ late: true });
  };
  const lost = [
    route({ method: 'GET', path: '/lost/:id', auth: 'none', handle }),
    route({ method: 'POST', path: '/lost', auth: 'none', handle }),
  ];
  await gateway.start(lost, { services: { ...gateway.services(), clock }, inFlightMax: 1 });
});
afterEach(() => gateway.stop());

const isRunning = () => until('a handler runs', () => running > 0 || undefined, STATE_MS_MAX);
const givenUp = () => gateway.logged.filter(({ level }) => level === 'error');

test('a request whose handler never answers gets 503 at the deadline, and is in flight no more', async () => {
  const pending = gateway.send('/lost/7');
  await isRunning();
  await clock.advance(ANSWER_MS_MAX - 1_000);
  assert.deepEqual(givenUp(), []);
  assert.equal((await gateway.send('/lost/8')).status, 503, 'one in flight is the limit here');
  await clock.advance(2_000);
  const refused = await pending;
  assert.equal(refused.status, 503);
  assert.notEqual(refused.headers.get('retry-after'), null);
  const [line, ...others] = givenUp();
  assert.deepEqual(others, []);
  assert.deepEqual(line?.fields, {
    id: refused.headers.get('x-request-id'),
    method: 'GET',
    path: '/lost/:id',
    waitedMs: ANSWER_MS_MAX,
  });

  const next = gateway.send('/lost/9');
  await until('the next handler runs', () => running > 1 || undefined, STATE_MS_MAX);
  answerAll();
  assert.deepEqual(await (await next).json(), { late: true });
});

test('an answer that comes after the deadline is not sent, and the connection goes on', async () => {
  const pending = gateway.send('/lost/7');
  await isRunning();
  await clock.advance(ANSWER_MS_MAX + 1_000);
  assert.equal((await pending).status, 503);
  answerAll();
  for (const id of [1, 2, 3]) {
    const answer = await gateway.send(`/lost/${id}`);
    assert.deepEqual([answer.status, await answer.json()], [200, { late: true }]);
  }
  assert.equal(givenUp().length, 1);
});

/** Sends a part of a body; returns what sends the rest, and what was received. */
async function sendSlowly() {
  const body = JSON.stringify({ said: 'slowly' });
  const socket = connect(gateway.server.port, '127.0.0.1');
  let got = '';
  socket.on('data', (bytes) => {
    got += bytes.toString('latin1');
  });
  const head = `POST /lost HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  socket.write(`${head}\r\n\r\n${body.slice(0, 5)}`);
  await until(
    'the request waits',
    async () => (await gateway.send('/lost/1')).status === 503 || undefined,
    STATE_MS_MAX,
  );
  return {
    finish: () => socket.write(body.slice(5)),
    async answer(): Promise<string> {
      await until('an answer', () => got.endsWith('}') || undefined, STATE_MS_MAX);
      socket.destroy();
      return got;
    },
  };
}

test('a body that takes longer to arrive than the deadline is waited for', async () => {
  const slow = await sendSlowly();
  await clock.advance(ANSWER_MS_MAX * 1.5);
  answerAll();
  slow.finish();
  assert.match(await slow.answer(), /^HTTP\/1\.1 200 /);
  assert.deepEqual(givenUp(), []);
});

test('the wait for an answer begins with the end of the body', async () => {
  const slow = await sendSlowly();
  await clock.advance(ANSWER_MS_MAX - 1_000);
  slow.finish();
  await isRunning();
  await clock.advance(ANSWER_MS_MAX - 1_000);
  assert.deepEqual(givenUp(), []);
  answerAll();
  assert.match(await slow.answer(), /^HTTP\/1\.1 200 /);
});
