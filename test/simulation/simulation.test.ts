import assert from 'node:assert/strict';
import { test } from 'node:test';
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
