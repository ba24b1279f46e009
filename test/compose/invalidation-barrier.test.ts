import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../actors/domain/ids.js';
import { cachedTogether } from '../../compose/cached-rows.js';
import { InvalidationBarrier } from '../../compose/invalidation-barrier.js';
import { HEARD_MS, PeerLiveness } from '../../compose/peer-liveness.js';
import { relationNews } from '../../compose/relation-news.js';
import { codec } from '../../proto/codec.js';
import { MemoryTables } from '../../store/memory/memory-tables.js';
import { put, remove } from '../../store/port.js';
import { accounts } from '../../store/tables.js';
import { HEARD_TOPIC, heardSubject, RELATIONS_TOPIC } from '../../transport/bus.js';
import { InProcessHub } from '../../transport/in-process-bus.js';
import { holdingBus } from '../kit/network/holding-bus.js';
import { lossyBus } from '../kit/network/lossy-bus.js';
import { VirtualClock } from '../kit/time/virtual-clock.js';

const account = makeId(1_000, 1, 0);
const key = { account };
const row = put(accounts, key, { ...accounts.value.decode(new Uint8Array()), username: 'ada' });

/** Creates nodes of one cluster; `present`: the members as all of them see them. */
async function nodes(count: number) {
  const clock = new VirtualClock();
  const hub = new InProcessHub(clock);
  const shared = new MemoryTables();
  const present = new Set(Array.from({ length: count }, (_, index) => `node${index}#1`));
  const made = [];
  for (let index = 0; index < count; index++) {
    const self = `node${index}#1`;
    const bus = holdingBus(hub.bus(self));
    const lossy = lossyBus(bus);
    const liveness = await PeerLiveness.open(lossy, clock, clock);
    const tables = await cachedTogether(shared, lossy, self, liveness, clock);
    const random = { bytes: (bytes: number) => new Uint8Array(bytes).fill(index) };
    const audience = await InvalidationBarrier.open(lossy, clock, random);
    const others = () => [...present].filter((member) => member !== self);
    audience.watch(() => ({ self, others: others() }));
    const watch = () => liveness.watch(() => ({ self, others: others(), seenMs: clock.monotonicMs(), mapVersion: 1 }));
    made.push({ self, bus, lossy, tables, audience, watch });
  }
  type Made = (typeof made)[0];
  return { clock, present, hub, all: made as [Made, Made, Made, ...Made[]] };
}

/** Returns true if it has resolved when nothing more can run. */
async function isDone(clock: VirtualClock, waiting: Promise<void> | undefined): Promise<boolean> {
  let done = waiting === undefined;
  void waiting?.then(() => {
    done = true;
  });
  await clock.settle();
  return done;
}

test('without a question a node may show what another has already removed; with one it does not', async () => {
  const { clock, all } = await nodes(3);
  const [one, two, three] = all;
  await one.tables.write([row]);
  for (const { tables } of all) assert.equal((await tables.get(accounts, key))?.username, 'ada');
  three.bus.hold();
  await one.tables.write([remove(accounts, key)]);
  await clock.settle();
  assert.equal(await two.tables.get(accounts, key), undefined);
  assert.equal((await three.tables.get(accounts, key))?.username, 'ada');
  const heard = one.audience.untilReceived();
  assert.equal(await isDone(clock, heard), false);
  three.bus.letGo();
  assert.equal(await three.tables.get(accounts, key), undefined);
  assert.equal(await isDone(clock, heard), true);
});

test('the result of a read under way is not cached after the answer either', async () => {
  const { clock, all } = await nodes(2);
  const [one, two] = all;
  await one.tables.write([row]);
  const reading = two.tables.get(accounts, key);
  const removing = one.tables.write([remove(accounts, key)]);
  await Promise.all([reading, removing]);
  await one.audience.untilReceived();
  assert.equal(await isDone(clock, one.audience.untilReceived()), true);
  assert.equal(await two.tables.get(accounts, key), undefined);
});

test('changed relations are received before the later question is answered', async () => {
  const { clock, all } = await nodes(2);
  const [one, two] = all;
  const news = await relationNews(two.lossy, { epochOf: () => undefined, idFloorMs: () => 0 });
  const told: unknown[] = [];
  news.onChanged((changed) => told.push(changed));
  two.bus.hold();
  one.lossy.publish(
    RELATIONS_TOPIC,
    codec('murmuration.node.AccountTopic').encode({ accountId: account, kind: 'relations' }),
  );
  const heard = one.audience.untilReceived();
  assert.equal(await isDone(clock, heard), false);
  assert.deepEqual(told, []);
  two.bus.letGo();
  await heard;
  assert.deepEqual(told, [account]);
});

test('each question waits for its own answer, and one answer covers earlier questions', async () => {
  const { clock, all } = await nodes(2);
  const [one, two] = all;
  two.bus.hold();
  const first = one.audience.untilReceived();
  const second = one.audience.untilReceived();
  await clock.settle();
  two.bus.letGo();
  two.bus.hold();
  const third = one.audience.untilReceived();
  assert.deepEqual([await isDone(clock, first), await isDone(clock, second)], [true, true]);
  assert.equal(await isDone(clock, third), false);
  two.bus.letGo();
  assert.equal(await isDone(clock, third), true);
});

test('a node that does not answer is waited for once, and again once it has answered', async () => {
  const { clock, all } = await nodes(3);
  const [one, , three] = all;
  three.bus.hold();
  const first = one.audience.untilReceived();
  await clock.advance(1_900);
  assert.equal(await isDone(clock, first), false);
  await clock.advance(100);
  assert.equal(await isDone(clock, first), true);
  assert.equal(await isDone(clock, one.audience.untilReceived()), true);
  three.bus.letGo();
  await clock.settle();
  three.bus.hold();
  const again = one.audience.untilReceived();
  assert.equal(await isDone(clock, again), false);
  three.bus.letGo();
  assert.equal(await isDone(clock, again), true);
});

for (const laterMs of [0, 300, 700, 1_100, 1_500]) {
  test(`a node partitioned for ${laterMs} ms shows nothing older than the change when the barrier ends`, async () => {
    const { clock, all } = await nodes(3);
    for (const { watch } of all) watch();
    await clock.advance(HEARD_MS);
    const [one, , three] = all;
    await one.tables.write([row]);
    await clock.settle();
    assert.equal((await three.tables.get(accounts, key))?.username, 'ada');
    three.bus.hold();
    three.lossy.losing = true;
    await clock.advance(laterMs);
    assert.equal((await three.tables.get(accounts, key))?.username, 'ada');
    await one.tables.write([remove(accounts, key)]);
    const heard = one.audience.untilReceived();
    assert.notEqual(heard, undefined);
    while (!(await isDone(clock, heard))) await clock.advance(50);
    assert.equal(await three.tables.get(accounts, key), undefined);
  });
}

test('a node that has left is not waited for', async () => {
  const { clock, present, all } = await nodes(2);
  const [one, two] = all;
  two.bus.hold();
  const heard = one.audience.untilReceived();
  present.delete(two.self);
  await clock.advance(250);
  assert.equal(await isDone(clock, heard), true);
  assert.equal(one.audience.untilReceived(), undefined);
  present.add('node1#2');
  assert.equal(await isDone(clock, one.audience.untilReceived()), false);
});

test('no node is waited for while the bus is down, before the members are known, and after the end', async () => {
  const { clock, hub, all } = await nodes(2);
  const [one, two] = all;
  one.lossy.down = true;
  assert.equal(one.audience.untilReceived(), undefined);
  one.lossy.down = false;
  two.bus.hold();
  const heard = one.audience.untilReceived();
  one.audience.close();
  assert.equal(await isDone(clock, heard), true);
  const early = await InvalidationBarrier.open(hub.bus('early'), clock, {
    bytes: (count) => new Uint8Array(count).fill(9),
  });
  assert.equal(early.untilReceived(), undefined);
});

test('a node that is not a member does not answer', async () => {
  const { clock, hub, all } = await nodes(2);
  const heard: string[] = [];
  const asker = hub.bus('asker');
  const answers = codec('murmuration.node.HaveHeard');
  await asker.subscribe(heardSubject('asker'), (payload) => void heard.push(answers.decode(payload).member));
  const ask = async (number: number) => {
    asker.publish(HEARD_TOPIC, codec('murmuration.node.AskHeard').encode({ reply: heardSubject('asker'), number }));
    await clock.settle();
  };
  await ask(1);
  assert.deepEqual(heard.sort(), ['node0#1', 'node1#1']);
  all[0].audience.watch(() => ({ self: undefined, others: [] }));
  all[1].audience.close();
  heard.length = 0;
  await ask(2);
  assert.deepEqual(heard, []);
});
