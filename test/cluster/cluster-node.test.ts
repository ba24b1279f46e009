import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SHARDS } from '../../actors/domain/ids.js';
import { LEASE_MS, leaseRules } from '../../cluster/lease.js';
import { MEMBERS_MAX } from '../../cluster/members-view.js';
import { members } from '../../store/tables.js';
import { Fleet } from './fleet.js';

async function three(seed: number) {
  const fleet = new Fleet(seed);
  const ships = [fleet.launch('a'), fleet.launch('b'), fleet.launch('c')] as const;
  await fleet.until('three nodes share the shards', () => fleet.settled(...ships));
  return { fleet, ships };
}

test('a single node takes all shards', async () => {
  const fleet = new Fleet(1);
  const ship = fleet.launch('a');
  await fleet.until('it owns all', () => fleet.settled(ship), 1_000);
});

test('nodes that join get their share by handover, warm activations first, and no shard has two owners', async () => {
  const fleet = new Fleet(2);
  const a = fleet.launch('a');
  await fleet.until('it owns all', () => fleet.settled(a));
  const b = fleet.launch('b');
  const tookMs = await fleet.until('two share', () => fleet.settled(a, b), 5_000);
  assert.ok(tookMs < 3_000, `it took ${tookMs} ms`);
  assert.equal(b.host.primed.length, SHARDS / 2);
  assert.deepEqual(fleet.doubleOwners, []);
});

test('a balanced cluster does not change the map', async () => {
  const { fleet } = await three(3);
  const before = (await fleet.map()).version;
  await fleet.run(30_000);
  assert.equal((await fleet.map()).version, before);
});

test('the shards of a killed node are acquired elsewhere in less than nine seconds', async () => {
  for (let seed = 10; seed < 20; seed++) {
    const {
      fleet,
      ships: [a, b, c],
    } = await three(seed);
    await fleet.run(seed * 137);
    fleet.kill(c);
    const tookMs = await fleet.until('the survivors own all', () => fleet.settled(a, b));
    assert.ok(tookMs < 9_000, `it took ${tookMs} ms`);
    assert.ok(tookMs > LEASE_MS - leaseRules.renewMs, `${tookMs} ms is before the lease ran out`);
    assert.deepEqual(fleet.doubleOwners, []);
  }
});

test('a takeover raises the epochs of the shards that moved, and the id floor beyond the ids that the dead node could create', async () => {
  const {
    fleet,
    ships: [a, b, c],
  } = await three(4);
  const before = await fleet.map();
  fleet.kill(c);
  const row = await fleet.tables.get(members, { cluster: 'fleet', name: 'c' });
  await fleet.until('the survivors own all', () => fleet.settled(a, b));
  const after = await fleet.map();
  assert.ok(after.idFloorMs >= (row?.clockMs ?? 0) + LEASE_MS);
  before.owners.forEach((owner, shard) => {
    const moved = owner?.startsWith('c#') ?? false;
    assert.equal((after.epochs[shard] ?? 0) > (before.epochs[shard] ?? 0), moved);
  });
});

test('a drain hands over all shards in less than three seconds, and releases the lease', async () => {
  const {
    fleet,
    ships: [a, b, c],
  } = await three(5);
  let drained = false;
  void c.node.drain().then(() => {
    drained = true;
  });
  assert.equal(c.node.readiness().ready, false);
  const tookMs = await fleet.until('it is drained', () => drained);
  assert.ok(tookMs < 3_000, `it took ${tookMs} ms`);
  await fleet.until('the others own all', () => fleet.settled(a, b), 1_000);
  assert.equal(c.host.running.size, 0);
  assert.equal((await fleet.tables.get(members, { cluster: 'fleet', name: 'c' }))?.state, 'gone');
  assert.deepEqual(fleet.doubleOwners, []);
});

test('the last node drains too, and its successor takes over without waiting', async () => {
  const fleet = new Fleet(6);
  const a = fleet.launch('a');
  await fleet.until('it owns all', () => fleet.settled(a));
  let drained = false;
  void a.node.drain().then(() => {
    drained = true;
  });
  await fleet.until('it is drained', () => drained, 3_000);
  const next = fleet.launch('a');
  const tookMs = await fleet.until('the next process owns all', () => fleet.settled(next));
  assert.ok(tookMs < 1_000, `it took ${tookMs} ms`);
});

test('a process that starts again after kill -9 waits until the old lease has run out', async () => {
  const fleet = new Fleet(7);
  const a = fleet.launch('a');
  await fleet.until('it owns all', () => fleet.settled(a));
  fleet.kill(a);
  const again = fleet.launch('a');
  const tookMs = await fleet.until('the next process owns all', () => fleet.settled(again));
  assert.ok(tookMs >= LEASE_MS && tookMs < 9_000, `it took ${tookMs} ms`);
});

test('a node with the name of a live one does not join', async () => {
  const fleet = new Fleet(8);
  const a = fleet.launch('a');
  await fleet.until('it owns all', () => fleet.settled(a));
  const twin = fleet.launch('twin');
  await fleet.until('two share', () => fleet.settled(a, twin));
  const refusal = fleet.join('a');
  await fleet.until('it is refused', () => refusal.error !== undefined, 15_000);
  assert.equal(refusal.error?.name, 'NameTaken');
  assert.ok(fleet.settled(a, twin));
});

test('a paused node owns nothing when it resumes, and rejoins as a new member', async () => {
  const {
    fleet,
    ships: [a, b, c],
  } = await three(9);
  fleet.pause(c, 15_000);
  await fleet.until('the others take over', () => fleet.settled(a, b));
  assert.equal(fleet.owned(c), 0);
  await fleet.until('it shares again', () => fleet.settled(a, b, c));
  assert.ok(c.host.abandoned > 0);
  assert.deepEqual(fleet.doubleOwners, []);
});

test('a node that the bus does not reach hands its shards over within nine seconds, and shares again once it does', async () => {
  for (let seed = 40; seed < 50; seed++) {
    const {
      fleet,
      ships: [a, b, c],
    } = await three(seed);
    await fleet.run(seed * 137);
    fleet.unplug(c, true);
    const tookMs = await fleet.until('the others own all', () => fleet.settled(a, b));
    assert.ok(tookMs < 9_000, `it took ${tookMs} ms`);
    assert.equal(c.host.abandoned, 0, 'in an orderly way');
    await fleet.run(20_000);
    assert.ok(fleet.settled(a, b), 'nothing is given to it meanwhile');
    fleet.unplug(c, false);
    await fleet.until('three share', () => fleet.settled(a, b, c), 5_000);
    assert.deepEqual(fleet.doubleOwners, []);
  }
});

test('no shard moves while the bus is down for all nodes, or down for a moment', async () => {
  const { fleet, ships } = await three(51);
  const { version } = await fleet.map();
  for (const ship of ships) {
    fleet.unplug(ship, true);
    await fleet.run(700);
  }
  await fleet.run(30_000);
  for (const ship of ships) {
    fleet.unplug(ship, false);
    await fleet.run(700);
  }
  await fleet.run(10_000);
  fleet.unplug(ships[1], true);
  await fleet.run(2_000);
  fleet.unplug(ships[1], false);
  await fleet.run(10_000);
  assert.equal((await fleet.map()).version, version);
});

test('without a bus the shards of dead nodes are still taken over', async () => {
  const { fleet, ships } = await three(52);
  const [a, b, c] = ships;
  for (const ship of ships) fleet.unplug(ship, true);
  await fleet.run(10_000);
  fleet.kill(c);
  await fleet.until('the survivors own all', () => fleet.owned(a) + fleet.owned(b) === SHARDS);
  for (const ship of ships) fleet.unplug(ship, false);
  await fleet.until('they share', () => fleet.settled(a, b));
  assert.deepEqual(fleet.doubleOwners, []);
});

test('nodes without access to the store stop before any other node may act', async () => {
  const { fleet, ships } = await three(21);
  fleet.faults.failChance = 1;
  await fleet.run(LEASE_MS);
  for (const ship of ships) assert.equal(fleet.owned(ship), 0);
  assert.equal(ships[0].node.readiness().ready, false);
  fleet.faults.failChance = 0;
  await fleet.until('they share again', () => fleet.settled(...ships));
  assert.deepEqual(fleet.doubleOwners, []);
});

test('a failed acquisition of shards is retried', async () => {
  const fleet = new Fleet(22);
  const a = fleet.launch('a');
  a.host.failNextAcquire = true;
  await fleet.until('it owns all', () => fleet.settled(a), 5_000);
  assert.ok(a.host.abandoned > 0);
});

test('no shard ever has two owners while the store fails, answers late and applies writes even later', async () => {
  for (let seed = 100; seed < 110; seed++) {
    const fleet = new Fleet(seed);
    const ships = ['a', 'b', 'c', 'd'].map((name, index) => fleet.launch(name, index * 2_000, 1 + index * 0.002));
    const [a, b, c, d] = ships as [(typeof ships)[0], (typeof ships)[0], (typeof ships)[0], (typeof ships)[0]];
    await fleet.until('four share', () => fleet.settled(...ships));
    Object.assign(fleet.faults, { failChance: 0.05, ambiguousChance: 0.1, lateChance: 0.05 });
    fleet.pause(b, 9_000);
    await fleet.run(7_000);
    fleet.kill(c);
    void d.node.drain();
    await fleet.run(20_000);
    Object.assign(fleet.faults, { failChance: 0, ambiguousChance: 0, lateChance: 0 });
    await fleet.run(15_000);
    await fleet.until(`two are left (seed ${seed})`, () => fleet.settled(a, b), 40_000);
    assert.deepEqual(fleet.doubleOwners, [], `seed ${seed}`);
  }
});

test('a takeover that ignores an unexpired lease is caught by the watch over owners', async () => {
  const fleet = new Fleet(30, { ...leaseRules, watchMs: 500 });
  const ships = [fleet.launch('a'), fleet.launch('b')];
  await fleet.run(20_000);
  assert.equal(ships.length, 2);
  assert.notDeepEqual(fleet.doubleOwners, []);
});

test('a node whose wall clock was set back hands shards over with a floor above all times that it has used', async () => {
  const fleet = new Fleet(12);
  const a = fleet.launch('a', 300_000);
  await fleet.until('a owns everything', () => fleet.settled(a));
  const usedMs = fleet.world.clockOf(a.process).nowMs();
  a.process.skewMs = 0;
  const b = fleet.launch('b');
  await fleet.until('both own their part', () => fleet.settled(a, b));
  assert.ok((await fleet.map()).idFloorMs >= usedMs);
});

test('a node that was stunned, its monotonic clock included, does not act under its old lease', async () => {
  const fleet = new Fleet(13);
  const [a, b] = [fleet.launch('a'), fleet.launch('b')];
  await fleet.until('both own their part', () => fleet.settled(a, b));
  for (let times = 0; times < 10; times++) {
    a.process.stun(fleet.world.now, 7_000 + times * 311);
    await fleet.run(20_000);
  }
  await fleet.until('both own their part again', () => fleet.settled(a, b));
  assert.deepEqual(fleet.doubleOwners, []);
});

test('a node whose clocks do not show a stun learns from the store that it no longer owns a shard', async () => {
  const fleet = new Fleet(14);
  const [a, b] = [fleet.launch('a'), fleet.launch('b')];
  await fleet.until('both own their part', () => fleet.settled(a, b));
  const shard = Array.from({ length: SHARDS }, (_, at) => at).find((at) => a.node.epochOf(at) !== undefined) ?? 0;
  const epoch = a.node.epochOf(shard) ?? 0;
  const ask = () => fleet.world.complete(a.node.stillOwns(shard, epoch), 5_000);
  assert.equal(await ask(), true);
  a.process.skewMs -= 10_000;
  a.process.stun(fleet.world.now, 10_000);
  await fleet.run(9_999);
  let answer: boolean | undefined;
  // Like a turn of an actor that was under way: it continues before the node reads the cluster again.
  fleet.world.at(0, a.process, () => {
    assert.equal(a.node.epochOf(shard), epoch, 'its lease looks valid');
    void a.node.stillOwns(shard, epoch).then((owns) => {
      answer = owns;
    });
  });
  await fleet.run(1_000);
  assert.equal(answer, false);
});

test('a wall clock that is set ahead costs a renewal, not the lease', async () => {
  const fleet = new Fleet(14);
  const [a, b] = [fleet.launch('a'), fleet.launch('b')];
  await fleet.until('both own their part', () => fleet.settled(a, b));
  const { version } = await fleet.map();
  a.process.skewMs += 60_000;
  assert.equal(fleet.owned(a), 0, 'nothing is answered until the lease is renewed');
  const tookMs = await fleet.until('the lease is renewed', () => fleet.settled(a, b));
  assert.ok(tookMs < 100, `${tookMs} ms`);
  assert.equal((await fleet.map()).version, version, 'no shard has moved');
  assert.equal(a.host.abandoned, 0);
});

test('a handover that fails while the lease is in doubt goes on after the renewal', async () => {
  const fleet = new Fleet(17);
  const a = fleet.launch('a');
  await fleet.until('it owns all', () => fleet.settled(a));
  const b = fleet.launch('b');
  await fleet.until('it stops its first shards', () => a.host.hasReleased);
  fleet.faults.failChance = 1;
  a.process.skewMs += 60_000;
  assert.equal(fleet.owned(a), 0, 'its lease is in doubt');
  await fleet.run(500);
  fleet.faults.failChance = 0;
  await fleet.until('two share', () => fleet.settled(a, b), 10_000);
  assert.equal(a.host.abandoned, 0, 'it kept its lease');
  assert.deepEqual(fleet.doubleOwners, []);
});

test('a lease that is in doubt stays so when the wall clock is set back, until it is renewed', async () => {
  const fleet = new Fleet(16);
  const [a, b] = [fleet.launch('a'), fleet.launch('b')];
  await fleet.until('both own their part', () => fleet.settled(a, b));
  a.process.skewMs += 60_000;
  assert.equal(fleet.owned(a), 0);
  a.process.skewMs -= 60_000;
  assert.equal(fleet.owned(a), 0, 'the step back proves nothing about the time that the lease has lost');
  const tookMs = await fleet.until('the lease is renewed', () => fleet.settled(a, b));
  assert.ok(tookMs < 100, `${tookMs} ms`);
  assert.equal(a.host.abandoned, 0);
});

test('members beyond the limit of one read keep their shards, and rows of departed members are removed', async () => {
  const fleet = new Fleet(15);
  const last = fleet.launch('zz');
  await fleet.until('zz owns everything', () => fleet.settled(last));
  for (let number = 0; number < MEMBERS_MAX; number++) {
    const name = `a${String(number).padStart(4, '0')}`;
    const gone = { name, incarnation: '1', beat: 1, grpcAddress: '', baseUrl: '', state: 'gone', clockMs: 1 };
    await fleet.tables.compareAndSet(members, { cluster: 'fleet', name }, undefined, gone);
  }
  const b = fleet.launch('b');
  await fleet.until('both own their part', () => fleet.settled(last, b), 120_000);
  assert.deepEqual(fleet.doubleOwners, []);
  const rows = await fleet.tables.range(members, { cluster: 'fleet' }, { limit: 1_000 });
  assert.deepEqual(rows.map(({ key }) => key.name).sort(), ['b', 'zz']);
});
