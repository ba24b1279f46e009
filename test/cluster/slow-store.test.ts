import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SHARDS } from '../../actors/domain/ids.js';
import { Fleet, type Ship } from './fleet.js';

const SLOW_MS = 3_000;
const MINUTE_MS = 60_000;
const SEEDS = [60, 61, 62, 63, 64, 65];
/** Maximum time until a cluster has recovered after the store has. */
const RECOVERY_MS = 10_000;

async function three(seed: number): Promise<{ fleet: Fleet; ships: Ship[] }> {
  const fleet = new Fleet(seed);
  const ships = ['a', 'b', 'c'].map((name) => fleet.launch(name));
  await fleet.until('three nodes share the shards', () => fleet.settled(...ships));
  await fleet.run(seed * 137);
  return { fleet, ships };
}

/** Runs for that long; returns the largest number of shards that one node owned at a time. */
async function mostOwned(fleet: Fleet, ships: readonly Ship[], forMs: number): Promise<number> {
  const endMs = fleet.world.now + forMs;
  let most = 0;
  while (fleet.world.now < endMs) {
    await fleet.run(100);
    most = Math.max(most, ...ships.map((ship) => fleet.owned(ship)));
  }
  return most;
}

test('conditional writes of three seconds for a minute cost no lease and move no shard', async () => {
  for (const seed of SEEDS) {
    const { fleet, ships } = await three(seed);
    const { version } = await fleet.map();
    fleet.faults.paxosMs = SLOW_MS;
    await fleet.run(MINUTE_MS);
    fleet.faults.paxosMs = 0;
    await fleet.run(RECOVERY_MS);
    assert.ok(fleet.settled(...ships), `seed ${seed}`);
    assert.equal((await fleet.map()).version, version, `seed ${seed}`);
    for (const ship of ships) assert.equal(ship.host.abandoned, 0, `seed ${seed}`);
    assert.deepEqual(fleet.doubleOwners, []);
  }
});

test('the shards of a node that is killed while the store is slow are still taken over, without two owners', async () => {
  for (const seed of SEEDS) {
    const { fleet, ships } = await three(seed);
    const [a, b, c] = ships as [Ship, Ship, Ship];
    fleet.faults.paxosMs = SLOW_MS;
    await fleet.run(20_000);
    fleet.kill(c);
    await fleet.until('the survivors own all', () => fleet.owned(a) + fleet.owned(b) === SHARDS, 90_000);
    assert.deepEqual(fleet.doubleOwners, []);
  }
});

test('after an outage of the store each node regains its own share within ten seconds, even if the store is slow at first', async () => {
  for (const seed of SEEDS) {
    const { fleet, ships } = await three(seed);
    fleet.faults.failChance = 1;
    await fleet.run(30_000);
    fleet.faults.failChance = 0;
    fleet.faults.paxosMs = 1_000;
    const most = await mostOwned(fleet, ships, RECOVERY_MS);
    assert.ok(fleet.settled(...ships), `seed ${seed}: ${ships.map((ship) => fleet.owned(ship))}`);
    assert.ok(most <= Math.ceil(SHARDS / ships.length), `seed ${seed}: one node owned ${most}`);
    assert.deepEqual(fleet.doubleOwners, []);
  }
});

test('a node that starts after the death of all others is not ready before every shard has a live owner', async () => {
  for (const seed of SEEDS) {
    const { fleet, ships } = await three(seed);
    for (const ship of ships) fleet.kill(ship);
    const again = ['a', 'b', 'c'].map((name) => fleet.launch(name));
    const endMs = fleet.world.now + 20_000;
    while (fleet.world.now < endMs) {
      await fleet.run(20);
      if (!again.some((ship) => ship.node.readiness().ready)) continue;
      const owned = again.reduce((sum, ship) => sum + fleet.owned(ship), 0);
      // A handover stops its shards for some milliseconds.
      assert.ok(owned > SHARDS / 2, `seed ${seed}: ready with ${owned} shards owned`);
    }
    assert.ok(fleet.settled(...again), `seed ${seed}`);
  }
});

test('an older read of the members takes no shards from a node that a newer map names', async () => {
  const fleet = new Fleet(5);
  const first = fleet.launch('a');
  await fleet.until('it owns all', () => fleet.settled(first));
  const second = fleet.launch('b');
  await fleet.until('two share', () => fleet.settled(first, second));
  fleet.kill(first);
  const answer = await fleet.holdMembers(second, () => true);
  const third = fleet.launch('c');
  await fleet.until('it takes the shards of the dead node', () => fleet.owned(third) > 0);
  // The second read times out, the node reads the map again, and waits for the same answer.
  await fleet.run(4_000);
  const { version } = await fleet.map();
  answer();
  await fleet.run(5_000);
  assert.equal((await fleet.map()).version, version);
  assert.ok(fleet.settled(second, third));
  assert.deepEqual(fleet.doubleOwners, []);
});
