import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClockOff, ClockWatch } from '../../cluster/clock-watch.js';
import { pause } from '../../cluster/patience.js';
import { members } from '../../store/tables.js';
import { LocalPeers } from '../../transport/local-peers.js';
import { VirtualClock } from '../kit/time/virtual-clock.js';
import { RecordingService, someStatus } from '../transport/peers-contract.js';
import { Fleet } from './fleet.js';

const MINUTE_MS = 60_000;
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function two() {
  const fleet = new Fleet(1);
  const ships = [fleet.launch('a'), fleet.launch('b', -300)] as const;
  await fleet.until('two nodes share the shards', () => fleet.settled(...ships));
  return { fleet, ships };
}

const ofClocks = (fleet: Fleet) => fleet.warnings.filter(({ message }) => /^the clock of this machine/.test(message));

test('a node whose clock is seconds ahead of the members, or behind, does not join, and says what to do', async () => {
  for (const [skewMs, side] of [
    [8_000, 'ahead of'],
    [-8_000, 'behind'],
  ] as const) {
    const { fleet, ships } = await two();
    const refusal = fleet.join('c', skewMs);
    await fleet.until('it is refused', () => refusal.error !== undefined, 3_000);
    assert.ok(refusal.error instanceof ClockOff);
    assert.match(
      refusal.error.message,
      new RegExp(
        `^cannot join: the clock of this machine is (7\\.[89]|8\\.[12]) s ${side} members a, b; synchronise the clocks with NTP$`,
      ),
    );
    assert.equal(await fleet.tables.get(members, { cluster: 'fleet', name: 'c' }), undefined);
    assert.ok(fleet.settled(...ships));
  }
});

test('a single node does not compare clocks, nor with members that have died', async () => {
  const fleet = new Fleet(2);
  const a = fleet.launch('a', 3_600_000);
  await fleet.until('it owns all', () => fleet.settled(a));
  assert.equal(a.node.status().clockOffsetMs, 0);
  fleet.kill(a);
  const b = fleet.launch('b');
  await fleet.until('the next owns all', () => fleet.settled(b));
  assert.equal(b.node.status().clockOffsetMs, 0);
  assert.deepEqual(ofClocks(fleet), []);
});

test('a node joins despite one wrong clock when the other clocks agree with its own', async () => {
  const { fleet, ships } = await two();
  ships[0].process.skewMs = 60_000;
  const c = fleet.launch('c');
  await fleet.until('three share', () => fleet.settled(...ships, c));
});

test('the agreed time is that of most members, also while one clock is minutes ahead', async () => {
  const { fleet, ships } = await two();
  assert.equal(ships[0].node.clusterMs(), undefined, 'of two clocks nobody knows which is wrong');
  const c = fleet.launch('c');
  await fleet.until('three share', () => fleet.settled(...ships, c));
  await fleet.run(MINUTE_MS);
  const agreed = () => [...ships, c].map(({ node }) => node.clusterMs() ?? 0);
  const trueMs = () => fleet.world.clockOf(c.process).wallMs();
  const isAgreed = () => agreed().every((ms) => Math.abs(ms - trueMs()) < 500);
  assert.ok(isAgreed(), `${agreed()} at ${trueMs()}`);
  ships[0].process.skewMs = 300_000;
  assert.ok(isAgreed(), 'a step of the clock moves nothing');
  await fleet.run(2 * MINUTE_MS);
  assert.ok(isAgreed(), 'nor does the next comparison');
});

test('half a second is warned about once in five minutes, for as long as it lasts', async () => {
  const { fleet, ships } = await two();
  const c = fleet.launch('c', 700);
  await fleet.until('three share', () => fleet.settled(...ships, c));
  await fleet.run(4 * MINUTE_MS);
  const warned = ofClocks(fleet);
  assert.deepEqual(warned.map(({ name }) => name).sort(), ['a', 'b', 'c']);
  const { fields } = warned.find(({ name }) => name === 'c') ?? {};
  assert.deepEqual(fields, { aheadMs: { a: 700, b: 1_000 } });
  await fleet.run(2 * MINUTE_MS);
  assert.equal(ofClocks(fleet).length, 6);
  c.process.skewMs = 0;
  await fleet.run(10 * MINUTE_MS);
  assert.equal(ofClocks(fleet).length, 6);
});

test('a node whose clock steps while it runs keeps its shards, and its offset identifies the wrong clock', async () => {
  const { fleet, ships } = await two();
  const c = fleet.launch('c');
  await fleet.until('three share', () => fleet.settled(...ships, c));
  c.process.skewMs = 300_000;
  await fleet.run(MINUTE_MS);
  assert.ok(fleet.settled(...ships, c));
  const [a, b, ownMs] = [...ships, c].map(({ node }) => node.status().clockOffsetMs);
  assert.ok(Math.abs((ownMs ?? 0) - 300_150) < 5, `${ownMs}`);
  // Each compares with one right and one wrong clock.
  assert.ok((a ?? 0) < -100_000 && (b ?? 0) < -100_000);
  assert.ok(ofClocks(fleet).some(({ name }) => name === 'c'));
});

test('the clock of a node that lost its lease does not keep it from joining again', async () => {
  const { fleet, ships } = await two();
  const [a, b] = ships;
  b.process.skewMs = 60_000;
  fleet.pause(b, 15_000);
  await fleet.until('the other took over', () => fleet.settled(a), 12_000);
  await fleet.until('both share again', () => fleet.settled(a, b));
});

test('a slow answer is not an offset, unless the difference exceeds its duration', async () => {
  const clock = new VirtualClock();
  const peers = new LocalPeers();
  for (const [address, aheadMs] of [
    ['slow', 0],
    ['ahead', 7_000],
  ] as const) {
    peers.register(
      address,
      new (class extends RecordingService {
        override async status() {
          const wallMs = clock.wallMs() + aheadMs;
          await pause(clock, 1_400);
          return { ...someStatus, name: address, wallMs };
        }
      })(),
    );
  }
  const watch = new ClockWatch(clock, log, peers);
  const asked = (name: string) => [{ name, address: name }];
  const slow = watch.checkBeforeJoining(asked('slow'), 500);
  await clock.advance(1_400);
  await slow;
  const ahead = watch.checkBeforeJoining(asked('ahead'), 5_000);
  const refused = assert.rejects(ahead, ClockOff);
  await clock.advance(1_400);
  await refused;
});
