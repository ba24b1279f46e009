import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initialAccount } from '../../../actors/account/slices.js';
import { type State, TALLIED_DAYS_MAX, tallyRows } from '../../../actors/account/tally.js';
import { makeId } from '../../../actors/domain/ids.js';
import { accountSlice } from '../../../actors/kinds/account.js';
import { registration } from '../reactions/town.js';

const DAY_MS = 86_400_000;
const DAY = 20_000;
const atMs = (day: number) => day * DAY_MS + 1_000;

/** Returns an account with events, each on its day. */
function life() {
  const state = initialAccount(makeId(atMs(DAY), 0, 0));
  const { apply } = accountSlice;
  const at = (day: number, type: keyof typeof apply, event: object) => {
    apply[type](state, { atMs: atMs(day), ...event } as never, atMs(day));
  };
  let made = 0;
  return {
    state,
    joins: (day: number) => at(day, 'registered', registration('ada')),
    posts(day: number, visibility = 'public'): string {
      made += 1;
      const id = makeId(atMs(day), 0, made);
      at(day, 'posted', { id, tags: [], visibility });
      return id;
    },
    loses: (day: number, id: string) => at(day, 'statusUncounted', { id, delta: -1, tags: [] }),
    rows: (since: number) => tallyRows(state, atMs(since)),
  };
}

test('an account counts itself once, and its statuses on each day', () => {
  const ada = life();
  ada.joins(DAY);
  ada.posts(DAY);
  assert.deepEqual(ada.rows(DAY), [{ day: DAY, users: 1, statuses: 1, said: 1, joined: true }]);
  ada.posts(DAY + 1);
  ada.posts(DAY + 1, 'direct');
  assert.deepEqual(ada.rows(DAY + 1), [{ day: DAY + 1, users: 0, statuses: 1, said: 2, joined: false }]);
});

test('a deletion reduces the total of its day, and the day’s statuses only on the same day', () => {
  const ada = life();
  ada.joins(DAY);
  const [first, second] = [ada.posts(DAY), ada.posts(DAY)];
  ada.loses(DAY, second);
  assert.deepEqual(ada.rows(DAY), [{ day: DAY, users: 1, statuses: 1, said: 1, joined: true }]);
  ada.loses(DAY + 2, first);
  assert.deepEqual(ada.rows(DAY + 2), [{ day: DAY + 2, users: 0, statuses: -1, said: 0, joined: false }]);
});

test('a late effect also writes the day of its event, as long as that is stored', () => {
  const ada = life();
  ada.joins(DAY);
  for (let day = DAY; day < DAY + 5; day++) ada.posts(day);
  assert.deepEqual(
    ada.rows(DAY + 3).map(({ day, statuses }) => [day, statuses]),
    [
      [DAY + 3, 1],
      [DAY + 4, 1],
    ],
  );
  assert.equal(ada.rows(DAY).length, TALLIED_DAYS_MAX);
  assert.equal((ada.state as State).tallied.length, TALLIED_DAYS_MAX);
});

test('an event whose clock is behind counts on the latest day', () => {
  const ada = life();
  ada.joins(DAY);
  ada.posts(DAY + 1);
  ada.posts(DAY);
  assert.deepEqual(ada.rows(DAY), [
    { day: DAY, users: 1, statuses: 0, said: 0, joined: true },
    { day: DAY + 1, users: 0, statuses: 2, said: 2, joined: false },
  ]);
});
