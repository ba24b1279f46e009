import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from './run.js';

/** Profiles with the most kinds of faults in the least time; simulation.test.ts lives through all. */
const PROFILES = ['short', 'embedded'] as const;
const SEEDS = [1, 2];

for (const profile of PROFILES)
  test(`random lives (${profile}) keep every promise`, async () => {
    for (const seed of SEEDS) {
      const { violations } = await simulate({ seed, profile });
      assert.deepEqual(violations, [], `npm run simulate -- --seeds 1 --from ${seed} --profile ${profile}`);
    }
  });
