import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HEARD_MS, PeerLiveness, type Peers, UNHEARD_MS, UNRESPONSIVE_MS } from '../../compose/peer-liveness.js';
import { codec } from '../../proto/codec.js';
import { PULSE_TOPIC } from '../../transport/bus.js';
import { InProcessHub } from '../../transport/in-process-bus.js';
import { lossyBus } from '../kit/network/lossy-bus.js';
import { VirtualClock } from '../kit/time/virtual-clock.js';

/**
 * Creates nodes of one cluster that always see each other in the store, and receive each other's messages as the test
 * permits.
 */
async function cluster(count: number) {
  const clock = new VirtualClock();
  const hub = new InProcessHub(clock);
  const members = Array.from({ length: count }, (_, index) => `node${index}#1`);
  let mapVersion = 1;
  let storeAnswers = true;
  let seenMs = 0;
  const nodes: { readonly bus: ReturnType<typeof lossyBus>; readonly hearing: PeerLiveness }[] = [];
  for (let index = 0; index < count; index++) {
    const bus = lossyBus(hub.bus(`node${index}`));
    const hearing = await PeerLiveness.open(bus, clock, clock);
    const company = (): Peers => {
      if (storeAnswers) seenMs = clock.monotonicMs();
      const self = members[index];
      return { self, others: members.filter((member) => member !== self), seenMs, mapVersion };
    };
    hearing.watch(company);
    nodes.push({ bus, hearing });
  }
  const [first] = nodes;
  if (first === undefined) throw new Error('no node');
  return {
    first: first.hearing,
    silence: (index: number, on: boolean) => {
      const node = nodes[index];
      if (node !== undefined) node.bus.losing = on;
    },
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 500) {
        await clock.advance(500);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    restart: (index: number, name: string) => {
      members[index] = name;
    },
    move: () => {
      mapVersion += 1;
    },
    store: (answers: boolean) => {
      storeAnswers = answers;
    },
  };
}

test('while all others are reachable, cached data may grow old, up to the maximum age', async () => {
  const { first, pass } = await cluster(3);
  assert.equal(first.ageMaxMs(), UNRESPONSIVE_MS);
  await pass(20_000);
  assert.ok(first.ageMaxMs() > 15_000 && first.ageMaxMs() <= 20_000, `${first.ageMaxMs()}`);
  await pass(HEARD_MS);
  assert.equal(first.ageMaxMs(), HEARD_MS);
});

test('a node that has sent nothing for too long may have changed rows without notice', async () => {
  const { first, pass, silence } = await cluster(3);
  await pass(2 * HEARD_MS);
  silence(2, true);
  await pass(UNRESPONSIVE_MS - 500);
  assert.equal(first.ageMaxMs(), HEARD_MS);
  await pass(500);
  assert.equal(first.ageMaxMs(), UNRESPONSIVE_MS);
  assert.ok(first.hearsAll(), 'unresponsive, but not unreachable');
  await pass(UNHEARD_MS);
  assert.equal(first.hearsAll(), false);
  // Its lost messages are a gap to the bus of other nodes, which then invalidate their caches.
  silence(2, false);
  await pass(1_000);
  assert.equal(first.ageMaxMs(), HEARD_MS);
});

test('data cached before a node returned, or a shard moved, are not covered', async () => {
  const world = await cluster(2);
  const { first, pass } = world;
  await pass(2 * HEARD_MS);
  world.restart(1, 'node1#2');
  await pass(10_000);
  assert.ok(first.ageMaxMs() <= 10_000);
  await pass(2 * HEARD_MS);
  world.move();
  await pass(10_000);
  assert.ok(first.ageMaxMs() <= 10_000);
});

test('a node without a view of the members does not count all as reachable', async () => {
  const { first, pass, store } = await cluster(2);
  await pass(2 * HEARD_MS);
  store(false);
  await pass(UNHEARD_MS + 1_000);
  assert.equal(first.ageMaxMs(), UNRESPONSIVE_MS);
});

test('each pulse carries the clock of ids of its node', async () => {
  const clock = new VirtualClock();
  const hub = new InProcessHub(clock);
  const received: number[] = [];
  const pulses = codec('murmuration.node.Pulse');
  await hub.bus('receiver').subscribe(PULSE_TOPIC, (payload) => received.push(pulses.decode(payload).idMs));
  const beganMs = clock.nowMs();
  const idClock = { nowMs: () => clock.nowMs() + 30_000 };
  const liveness = await PeerLiveness.open(hub.bus('sender'), clock, idClock);
  liveness.watch(() => ({ self: 'sender#1', others: [], seenMs: 0, mapVersion: 1 }));
  await clock.advance(500);
  await new Promise((resolve) => setImmediate(resolve));
  liveness.close();
  assert.deepEqual(received, [beganMs + 30_000, beganMs + 30_500]);
});

test('caches without a maximum age are invalidated while a live node sends nothing, and not for a dead one', async () => {
  const { first, pass, silence, restart, store } = await cluster(3);
  let told = 0;
  first.onUnheard(() => {
    told += 1;
  });
  await pass(20_000);
  assert.deepEqual([first.hearsAll(), told], [true, 0]);
  silence(1, true);
  await pass(8_000);
  // Its lease has expired by then, and another incarnation replaces it.
  assert.deepEqual([first.hearsAll(), told], [false, 0]);
  silence(1, false);
  restart(1, 'node1#2');
  await pass(20_000);
  assert.deepEqual([first.hearsAll(), told], [true, 0]);
  silence(1, true);
  await pass(30_000);
  assert.ok(told >= 3 && told <= 5, `${told} times in 30 s`);
  store(false);
  await pass(UNHEARD_MS);
  const before = told;
  await pass(20_000);
  assert.equal(told, before, 'nothing could be read');
  store(true);
  silence(1, false);
  await pass(20_000);
  assert.deepEqual([first.hearsAll(), told], [true, before]);
});
