import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plantedFaults } from './faults/planted.js';
import type { Profile } from './profiles.js';
import { simulate } from './run.js';

/** Number of seeds of each profile in every run of the tests; `npm run simulate` tries further ones. */
const SEEDS: Readonly<Record<Profile, number>> = {
  everything: 6,
  short: 10,
  leases: 3,
  clocks: 4,
  ownership: 4,
  crashes: 4,
  late: 4,
  pushes: 4,
  deliveries: 4,
  blind: 3,
  embedded: 40,
};
/** Minimum average number of answered requests: a life without answers shows nothing. A late store answers few. */
const ANSWERED_MIN = 10;

for (const [profile, seeds] of Object.entries(SEEDS) as [keyof typeof SEEDS, number][]) {
  test(`${seeds} random lives (${profile}) keep every promise`, async () => {
    let answered = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const result = await simulate({ seed, profile });
      assert.deepEqual(result.violations, [], `npm run simulate -- --seeds 1 --from ${seed} --profile ${profile}`);
      answered += result.answered;
    }
    assert.ok(answered > seeds * ANSWERED_MIN, `only ${answered} requests were answered`);
  });
}

/**
 * Number of seeds after the known one that are tried: a change of the nodes' behaviour moves every moment of a life.
 */
const SEEDS_BEHIND_MAX = 25;

for (const [name, { profile, seed: first, invariant, ...planted }] of Object.entries(plantedFaults)) {
  test(`a planted fault is found by ${invariant}: ${name}`, async () => {
    for (let seed = first; seed <= first + SEEDS_BEHIND_MAX; seed++) {
      const { violations } = await simulate({ seed, profile, planted });
      if (violations.some((one) => one.invariant === invariant)) return;
    }
    assert.fail(`not found: look for its first seed with npm run simulate -- --planted`);
  });
}
