import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Unavailable } from '../../../../actors/domain/problem.js';
import {
  AT_ONCE_BESIDE_PEOPLE_MAX,
  AT_ONCE_MAX,
  OUTSIDE_OF_HOST_MAX,
  Turns,
  WAITING_MAX,
  WAITING_OF_HOST_MAX,
} from '../../../../actors/federation/inbox/turns.js';

/** Turns whose works end on demand. */
function world(atOnce: number) {
  const turns = new Turns(atOnce);
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
  const turns = new Turns(1);
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
  const turns = new Turns(1);
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

test('few activities are worked on at a time after a request of a person, and as many as usual some time later', async () => {
  const { turns, begun, ask, end } = world(AT_ONCE_MAX);
  turns.yieldToPeople();
  const asked: Promise<void>[] = [];
  let ended = 0;
  const underWay: number[] = [];
  while (ended < 2 * WAITING_MAX) {
    while (turns.waiting < AT_ONCE_MAX) asked.push(ask(`host${asked.length}`));
    underWay.push(begun.length - ended);
    await end();
    ended++;
  }
  assert.equal(underWay[0], AT_ONCE_BESIDE_PEOPLE_MAX);
  assert.equal(underWay[WAITING_MAX / 2], AT_ONCE_BESIDE_PEOPLE_MAX);
  assert.equal(underWay.at(-1), AT_ONCE_MAX);
  for (; ended < asked.length; ended++) await end();
  await Promise.all(asked);
  assert.equal(begun.length, asked.length);
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
