import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Profile } from './nemesis.js';
import { plantedBugs } from './planted.js';
import { simulate } from './run.js';

/** Set to one seed, the failing one is replayed alone, with the nodes' log. */
const replay = process.env.SIMULATION_SEED;
const SEEDS = 100;
const LEASE_SEEDS = 12;
const CLOCK_SEEDS = 24;
/** A planted bug must be found in this many seeds. */
const BUG_SEEDS_MAX = 40;

const replayLine = (seed: number, profile: string) =>
  `replay: SIMULATION_SEED=${seed} SIMULATION_PROFILE=${profile} node --test dist/test/simulation/simulation.test.js`;

async function holds(seed: number, profile: Profile): Promise<number> {
  const result = await simulate({ seed, profile }).catch((error: Error) => ({ faults: [String(error)], answered: 1 }));
  assert.deepEqual(result.faults, [], replayLine(seed, profile));
  assert.ok(result.answered > 0, `seed ${seed} answered nothing`);
  return result.answered;
}

if (replay === undefined) {
  test(`${SEEDS} random lives of a cluster keep every promise`, async () => {
    let answered = 0;
    for (let seed = 1; seed <= SEEDS; seed++) answered += await holds(seed, 'everything');
    assert.ok(answered > SEEDS * 50, `only ${answered} requests were answered`);
  });

  test(`${LEASE_SEEDS} lives with leases that cannot be renewed keep every promise`, async () => {
    for (let seed = 1; seed <= LEASE_SEEDS; seed++) await holds(seed, 'leases');
  });

  test(`${CLOCK_SEEDS} lives with clocks that step and machines that are stunned keep every promise`, async () => {
    for (let seed = 1; seed <= CLOCK_SEEDS; seed++) await holds(seed, 'clocks');
  });

  for (const [bug, options] of Object.entries(plantedBugs)) {
    test(`a planted bug is found: ${bug}`, async () => {
      for (let seed = 1; seed <= BUG_SEEDS_MAX; seed++) {
        const faults = await simulate({ seed, ...options }).then(
          (result) => result.faults,
          (error: Error) => [String(error)],
        );
        if (faults.length > 0) return;
      }
      assert.fail(`not found in ${BUG_SEEDS_MAX} seeds`);
    });
  }
} else {
  test(`seed ${replay}`, async () => {
    const profile = (process.env.SIMULATION_PROFILE ?? 'everything') as Profile;
    const result = await simulate({ seed: Number(replay), profile, log: (line) => console.log(line) });
    assert.deepEqual(result.faults, []);
  });
}
