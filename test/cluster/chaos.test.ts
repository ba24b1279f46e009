import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leaseRules } from '../../cluster/lease.js';
import { SeededRandom } from '../simulation/world.js';
import { Fleet, type Ship } from './fleet.js';

const SEEDS = 15;
const STEPS = 12;
const NAMES = ['a', 'b', 'c', 'd'];

/**
 * Kills, pauses, drains and starts nodes at random on a store that fails, answers late and applies writes even later.
 */
async function story(seed: number): Promise<void> {
  const random = new SeededRandom(seed * 7 + 1);
  // Leases must be safe even with clocks that no join would accept.
  const fleet = new Fleet(seed, { ...leaseRules, clockOffsetMsMax: Number.POSITIVE_INFINITY });
  const leaving = new Set<Ship>();
  const launch = (name: string) =>
    fleet.launch(name, random.between(-20_000, 20_000), 1 + (random.fraction() - 0.5) * 0.01);
  const running = new Set(NAMES.slice(0, random.between(2, 4)).map(launch));
  Object.assign(fleet.faults, { failChance: 0.03, ambiguousChance: 0.08, lateChance: 0.04 });
  fleet.faults.delayMs = [1, random.pick([10, 100, 400])];
  const acts: ((ship: Ship) => void)[] = [
    (ship) => {
      if (running.size === 1) return;
      fleet.kill(ship);
      running.delete(ship);
    },
    (ship) => fleet.pause(ship, random.between(500, 14_000)),
    (ship) => {
      if (running.size === 1) return;
      running.delete(ship);
      leaving.add(ship);
      void ship.node.drain().then(() => leaving.delete(ship));
    },
    () => {
      const taken = new Set([...running, ...leaving].filter((ship) => ship.process.alive).map((s) => s.process.name));
      const name = NAMES.find((candidate) => !taken.has(candidate));
      if (name !== undefined) running.add(launch(name));
    },
    () => {
      fleet.faults.failChance = random.pick([0, 0.03, 0.5, 1]);
    },
  ];
  for (let step = 0; step < STEPS; step++) {
    await fleet.run(random.between(100, 6_000));
    random.pick(acts)(random.pick([...running]));
  }
  Object.assign(fleet.faults, { failChance: 0, ambiguousChance: 0, lateChance: 0 });
  await fleet.until('those that live share all shards', () => fleet.settled(...running), 60_000);
  assert.deepEqual(fleet.doubleOwners, []);
}

test(`under any faults of nodes and store no shard has two owners, and in the end all are served (${SEEDS} seeds)`, async () => {
  const only = process.env.CLUSTER_SEED;
  const seeds = only === undefined ? Array.from({ length: SEEDS }, (_, index) => index + 1) : [Number(only)];
  for (const seed of seeds) {
    await story(seed).catch((cause: unknown) => {
      throw new Error(`again by CLUSTER_SEED=${seed} node --test dist/test/cluster/chaos.test.js`, { cause });
    });
  }
});
