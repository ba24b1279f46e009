import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Placement } from '../../actors/runtime/placement/placement.js';
import { PlacementSlot } from '../../compose/placement-slot.js';

/** Answers of which each differs from those of an empty slot. */
const ANSWERS = {
  epochOf: 7,
  idFloorMs: 1,
  idCeilingMs: 2,
  format: 3,
  clusterMs: 4,
  unsteppedMs: 5,
  steadyMs: 6,
  ownerEpoch: 8,
  stillOwns: false,
} as const satisfies Record<keyof Placement, unknown>;
const NAMES = Object.keys(ANSWERS) as (keyof Placement)[];

test('a slot answers as the placement that fills it, also what few placements answer', async () => {
  const asked = { shard: 9, epoch: 7 };
  const answer = (name: keyof Placement) => (slot: Placement) => slot[name]?.(asked.shard, asked.epoch);
  const owners = Object.fromEntries(
    NAMES.map((name) => [
      name,
      (...given: unknown[]) => {
        if (given.length > 0) assert.equal(given[0], asked.shard);
        return ANSWERS[name];
      },
    ]),
  );
  const slot = new PlacementSlot();
  for (const name of NAMES) assert.notEqual(await answer(name)(slot), ANSWERS[name], `${name} of an empty slot`);
  slot.fill(owners as unknown as Placement);
  for (const name of NAMES) assert.equal(await answer(name)(slot), ANSWERS[name], name);
});
