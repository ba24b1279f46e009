import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Commands, type Events, instanceTotals, type State } from '../../../actors/instance/totals.js';
import { given } from '../../kit/actors/given.js';

const counted = (day: number, users: number) => ({
  day,
  users,
  statuses: 2 ** 40,
  registrations: 1,
  said: 2,
  active: new Uint8Array(),
});

test('the totals of a day are stored once, and not after those of a later day', () => {
  const kept = given<State, Commands, Events>(instanceTotals, { keptDay: -1 })
    .when('keepDay', counted(20_000, 3))
    .when('keepDay', counted(20_000, 4))
    .when('keepDay', counted(20_002, 5))
    .when('keepDay', counted(20_001, 6));
  assert.deepEqual(
    kept.events.map(({ day, users }) => [day, users]),
    [
      [20_000, 3],
      [20_002, 5],
    ],
  );
});
