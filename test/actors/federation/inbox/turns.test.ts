import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Unavailable } from '../../../../actors/domain/problem.js';
import { BESIDE_PEOPLE_MIN, TURN_MS_MAX } from '../../../../actors/federation/inbox/beside-people.js';
import {
  AT_ONCE_MAX,
  OUTSIDE_OF_HOST_MAX,
  Turns,
  WAITING_MAX,
  WAITING_OF_HOST_MAX,
} from '../../../../actors/federation/inbox/turns.js';

/** A clock in whose time nothing takes any. */
const stillClock = { monotonicMs: () => 0 };

/** Turns whose works end on demand. */
function world(atOnce: number, clock = stillClock) {
  const turns = new Turns(clock, atOnce);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (host: string, name = host) =>
    turns.take(host, () => {
      begun.push(name);
      return new Promise<void>((end) => void ends.push(end));
    });
  const end = async () => {
    ends.shift()?.();
    await turn();
    // The next work begins in a turn of its own.
    await turn();
  };
  return { turns, begun, ask, end };
}

test('a busy host delays others by one activity each', async () => {
  const { begun, ask, end } = world(1);
  const all = [ask('big', '1'), ask('big', '2'), ask('big', '3'), ask('small', 'a'), ask('tiny', 'b')];
  for (let ended = 0; ended < all.length; ended++) await end();
  await Promise.all(all);
  assert.deepEqual(begun, ['1', '2', 'a', 'b', '3']);
});

test('work that fails passes its turn on', async () => {
  const turns = new Turns(stillClock, 1);
  const failing = turns.take('a', () => Promise.reject(new Error('broken')));
  const next = turns.take('b', async () => 'done');
  await assert.rejects(failing, /broken/);
  assert.equal(await next, 'done');
  assert.equal(turns.waiting, 0);
});

test('too many waiting activities are refused at once, of one host and of all', async () => {
  const { turns, ask, end, begun } = world(1);
  const waiting = [ask('host')];
  for (let index = 0; index < WAITING_OF_HOST_MAX; index++) waiting.push(ask('host'));
  await assert.rejects(ask('host'), Unavailable);
  for (let index = 0; turns.waiting < WAITING_MAX; index++) waiting.push(ask(`host${index}`));
  await assert.rejects(ask('another'), Unavailable);
  for (let ended = 0; ended < waiting.length; ended++) await end();
  await Promise.all(waiting);
  assert.equal(begun.length, waiting.length);
});

test('a turn is free while its work waits for another server, and few works of one host may wait so', async () => {
  const turns = new Turns(stillClock, 1);
  let answer: () => void = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const slow = Array.from({ length: OUTSIDE_OF_HOST_MAX }, () =>
    turns.take('slow', ({ outside }) => outside(() => answered)),
  );
  await turn();
  assert.equal(await turns.take('quick', async () => 'served'), 'served');
  await assert.rejects(
    turns.take('slow', ({ outside }) => outside(() => answered)),
    Unavailable,
  );
  answer();
  await Promise.all(slow);
  assert.equal(await turns.take('slow', ({ outside }) => outside(async () => 'again')), 'again');
});

/** Lets activities of many hosts end one after the other. Returns how many were under way at the end of each. */
async function underWay({ turns, begun, ask, end }: ReturnType<typeof world>, count: number, before = () => {}) {
  const asked: Promise<void>[] = [];
  const seen: number[] = [];
  let ended = 0;
  while (ended < count) {
    before();
    while (turns.waiting < AT_ONCE_MAX) asked.push(ask(`host${asked.length}`));
    seen.push(begun.length - ended);
    await end();
    ended++;
  }
  for (; ended < asked.length; ended++) await end();
  await Promise.all(asked);
  assert.equal(begun.length, asked.length);
  return seen;
}

/** A clock whose every second reading is later, by the length of a turn. */
function clockOf(turnMs: () => number) {
  let [nowMs, readings] = [0, 0];
  return {
    monotonicMs: () => {
      if (readings++ % 2 === 1) nowMs += turnMs();
      return nowMs;
    },
  };
}

test('few activities are worked on at a time after a request of a person, and as many as usual some time later', async () => {
  const place = world(
    AT_ONCE_MAX,
    clockOf(() => TURN_MS_MAX + 1),
  );
  place.turns.yieldToPeople();
  const seen = await underWay(place, 2 * WAITING_MAX);
  assert.equal(seen[0], BESIDE_PEOPLE_MIN);
  assert.equal(seen[WAITING_MAX / 2], BESIDE_PEOPLE_MIN);
  assert.equal(seen.at(-1), AT_ONCE_MAX);
});

test('beside people as many activities are worked on as leave the turns of the event loop short', async () => {
  let turnMs = 0;
  const place = world(
    AT_ONCE_MAX,
    clockOf(() => turnMs),
  );
  const seen = await underWay(place, 1_200, () => {
    place.turns.yieldToPeople();
    turnMs = place.begun.length < 1_000 ? TURN_MS_MAX : TURN_MS_MAX + 1;
  });
  assert.equal(seen[0], BESIDE_PEOPLE_MIN);
  assert.equal(seen[900], AT_ONCE_MAX);
  assert.equal(seen.at(-1), BESIDE_PEOPLE_MIN);
});

test('beside people a long turn now and then takes little from the activities that are worked on', async () => {
  let turn = 0;
  const place = world(
    AT_ONCE_MAX,
    clockOf(() => (turn++ % 100 === 0 ? 50 : 0)),
  );
  const seen = await underWay(place, 3_000, () => place.turns.yieldToPeople());
  assert.ok(Math.min(...seen.slice(1_000)) > AT_ONCE_MAX / 2);
});

test('an activity that has waited begins behind the requests that have arrived meanwhile', async () => {
  const { begun, ask, end } = world(1);
  const all = [ask('a', '1'), ask('a', '2')];
  const ended = end();
  setImmediate(() => begun.push('request'));
  await ended;
  assert.deepEqual(begun, ['1', 'request', '2']);
  await end();
  await Promise.all(all);
});

test('all turns and all places of waiting are taken: nothing more need be read', async () => {
  const { turns, ask, end } = world(1);
  const all = [ask('first')];
  for (let index = 0; index < WAITING_MAX; index++) {
    assert.equal(turns.isFull, false);
    all.push(ask(`host${index}`));
  }
  assert.equal(turns.isFull, true);
  for (let ended = 0; ended < all.length; ended++) await end();
  await Promise.all(all);
  assert.equal(turns.isFull, false);
});
