import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GATE_LIMITS, ServiceGate } from '../../../transport/push/service-gate.js';
import type { PushOutcome } from '../../../transport/push-sender.js';
import { VirtualClock } from '../../kit/time/virtual-clock.js';

const SENT: PushOutcome = { kind: 'sent' };
const TIMEOUT: PushOutcome = { kind: 'later', reason: 'timeout' };
const { failuresMax, pauseMs, pauseMsMax, newServiceMax, serviceMax } = GATE_LIMITS;

/** A service whose requests end when a test says so. */
class Service {
  readonly begun: ((outcome: PushOutcome) => void)[] = [];
  readonly request = () => new Promise<PushOutcome>((end) => void this.begun.push(end));

  /** Ends the requests in flight. */
  async end(outcome: PushOutcome): Promise<void> {
    for (const one of this.begun.splice(0)) one(outcome);
    await settled();
  }
}

const settled = () => new Promise((next) => setImmediate(next));

function gateWith(more: Partial<typeof GATE_LIMITS> = {}) {
  const clock = new VirtualClock();
  return { clock, gate: new ServiceGate(clock, { ...GATE_LIMITS, ...more }) };
}

test('a service that answers gets more requests at a time than a new one', async () => {
  const { gate } = gateWith();
  const service = new Service();
  const outcomes = Array.from({ length: 104 }, () => gate.run('a', service.request));
  await settled();
  assert.equal(service.begun.length, newServiceMax);
  await service.end(SENT);
  assert.equal(service.begun.length, serviceMax);
  while (service.begun.length > 0) await service.end(SENT);
  assert.ok((await Promise.all(outcomes)).every(({ kind }) => kind === 'sent'));
});

test('a service that fails is not asked for a while, then with one request, and then as before', async () => {
  const { gate, clock } = gateWith();
  for (let index = 0; index < failuresMax; index++) assert.equal(await gate.run('a', async () => TIMEOUT), TIMEOUT);
  const refused = await gate.run('a', () => assert.fail('asked during a pause'));
  assert.deepEqual(refused, { kind: 'later', reason: 'unreachable', afterMs: pauseMs });
  assert.equal(await gate.run('b', async () => SENT), SENT, 'others are asked');
  await clock.advance(pauseMs);
  const service = new Service();
  const waiting = [1, 2, 3].map(() => gate.run('a', service.request));
  await settled();
  assert.equal(service.begun.length, 1);
  await service.end(TIMEOUT);
  const [probe, ...others] = await Promise.all(waiting);
  assert.equal(probe, TIMEOUT);
  for (const other of others) assert.deepEqual(other, { kind: 'later', reason: 'unreachable', afterMs: 2 * pauseMs });
  await clock.advance(2 * pauseMs);
  const again = [1, 2, 3].map(() => gate.run('a', service.request));
  await settled();
  assert.equal(service.begun.length, 1);
  await service.end(SENT);
  assert.equal(service.begun.length, 2);
  await service.end(SENT);
  assert.deepEqual(await Promise.all(again), [SENT, SENT, SENT]);
});

test('pauses grow up to a maximum', async () => {
  const { gate, clock } = gateWith();
  for (let index = 1; index < failuresMax; index++) await gate.run('a', async () => TIMEOUT);
  let lastMs = 0;
  for (let probes = 0; probes < 10; probes++) {
    await gate.run('a', async () => TIMEOUT);
    const paused = await gate.run('a', () => assert.fail('asked during a pause'));
    lastMs = paused.kind === 'later' ? (paused.afterMs ?? 0) : 0;
    await clock.advance(lastMs);
  }
  assert.equal(lastMs, pauseMsMax);
});

test('many dead services leave room for those that answer', async () => {
  const { gate } = gateWith({ inFlightMax: 20, unprovenMax: 8 });
  assert.equal(await gate.run('live', async () => SENT), SENT);
  const dead = new Service();
  const stuck = Array.from({ length: 30 }, (_, index) => gate.run(`dead${index}`, dead.request));
  await settled();
  assert.equal(dead.begun.length, 8);
  const live = new Service();
  const outcomes = Array.from({ length: 12 }, () => gate.run('live', live.request));
  await settled();
  assert.equal(live.begun.length, 12);
  await live.end(SENT);
  await dead.end(TIMEOUT);
  assert.ok((await Promise.all(outcomes)).every(({ kind }) => kind === 'sent'));
  assert.equal((await Promise.all(stuck)).filter((one) => one.kind === 'later' && one.reason === 'busy').length, 22);
});

test('messages beyond the maximum do not wait', async () => {
  const { gate } = gateWith({ newServiceWaitingMax: 5, newServiceMax: 1, serviceMax: 1 });
  const service = new Service();
  const outcomes = Array.from({ length: 10 }, () => gate.run('a', service.request));
  await settled();
  for (let index = 0; index < 6; index++) await service.end(SENT);
  const kinds = (await Promise.all(outcomes)).map(({ kind }) => kind);
  assert.deepEqual(kinds, [...Array(6).fill('sent'), ...Array(4).fill('later')]);
});

test('refusals of a service are answers, and only idle services are forgotten', async () => {
  const { gate } = gateWith({ servicesMax: 2 });
  for (let index = 0; index < 2 * failuresMax; index++)
    assert.equal((await gate.run('a', async () => ({ kind: 'later', reason: 'failed' }))).kind, 'later');
  const service = new Service();
  const held = gate.run('a', service.request);
  for (const origin of ['b', 'c', 'd']) await gate.run(origin, async () => SENT);
  await service.end(SENT);
  assert.equal(await held, SENT);
});
