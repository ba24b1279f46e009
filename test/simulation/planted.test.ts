import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plantedFaults } from './faults/planted.js';
import { simulate } from './run.js';

/**
 * Number of seeds after the known one that are tried: a change of the nodes' behaviour moves every moment of a life.
 */
const SEEDS_BEHIND_MAX = 25;

for (const [name, { profile, seed: first, invariant, ...planted }] of Object.entries(plantedFaults)) {
  test(`a planted fault is found by ${invariant}: ${name}`, async (t) => {
    for (let seed = first; seed <= first + SEEDS_BEHIND_MAX; seed++) {
      const { violations } = await simulate({ seed, profile, planted });
      if (!violations.some((one) => one.invariant === invariant)) continue;
      t.diagnostic(`by seed ${seed}, known ${first}`);
      return;
    }
    assert.fail(`not found: look for its first seed with npm run simulate -- --planted`);
  });
}
