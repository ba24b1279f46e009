import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Commands, type Events, instanceTotals, type State } from '../../../actors/instance/totals.js';
import { given } from '../../kit/given.js';

const counted = (users: number, atMs: number) => ({
  users,
  statuses: 2 ** 40,
  activeMonth: 1,
  activeHalfYear: 2,
  atMs,
});
const nobody = () => given<State, Commands, Events>(instanceTotals, { totals: undefined });

test('what was counted last is kept, whichever node is told of first', () => {
  const kept = nobody()
    .when('keepTotals', counted(3, 1_000))
    .when('keepTotals', counted(5, 3_000))
    .when('keepTotals', counted(4, 2_000));
  assert.deepEqual(
    kept.events.map(({ users }) => users),
    [3, 5],
  );
  assert.deepEqual(kept.state.totals, counted(5, 3_000));
});

test('a count that finds the same is not written', () => {
  const kept = nobody().when('keepTotals', counted(3, 1_000)).when('keepTotals', counted(3, 2_000));
  assert.equal(kept.events.length, 1);
});
