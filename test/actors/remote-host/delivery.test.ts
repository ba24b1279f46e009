import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { DeliveryOutcome } from '../../../transport/federation/port.js';
import { closeWorlds, DAY_MS, DELIVERED, HOUR_MS, LATER, MINUTE_MS, SENDER, type Sent, world } from './world.js';

const FAR = 'https://far.example/inbox';
const OTHER = 'https://other.example/inbox';

afterEach(closeWorlds);

test('an activity reaches each inbox once, signed by its account, and leaves no row', async () => {
  const here = await world();
  await here.queue({ id: 'a', inboxes: [FAR, 'https://far.example/users/bob/inbox', OTHER] });
  assert.deepEqual(
    here.sent.map(({ inbox, id, signer }) => `${inbox} ${id} ${signer}`).sort(),
    [FAR, 'https://far.example/users/bob/inbox', OTHER]
      .map((inbox) => `${inbox} a ${SENDER} https://here.example/users/ann`)
      .sort(),
  );
  await here.stage.clock.advance(2 * HOUR_MS);
  assert.deepEqual([here.sent.length, here.figures.delivered, await here.rows('far.example')], [3, 3, 0]);
});

test('a host that hangs delays no other, and queueing waits for none', async () => {
  const here = await world();
  here.plays.answer = ({ inbox }) => (inbox === FAR ? new Promise(() => undefined) : DELIVERED);
  for (const id of ['1', '2', '3', '4', '5', '6']) await here.queue({ id, inboxes: [FAR, OTHER] });
  assert.equal(here.sent.filter(({ inbox }) => inbox === OTHER).length, 6);
});

test('four deliveries to one host run at a time, and one for each object', async () => {
  const here = await world();
  let [running, most] = [0, 0];
  const held: (() => void)[] = [];
  here.plays.answer = ({ id }) => {
    if (id === 'first') return new Promise((resolve) => void held.push(() => resolve(DELIVERED)));
    running += 1;
    most = Math.max(most, running);
    return new Promise((resolve) => {
      here.stage.clock.after(100, () => {
        running -= 1;
        resolve(DELIVERED);
      });
    });
  };
  await here.queue({ id: 'first', inboxes: [FAR] });
  for (let number = 0; number < 12; number++)
    await here.queue({ id: `${number}`, inboxes: [FAR], order: `${number >> 1}` });
  for (const release of held) release();
  await here.stage.clock.advance(MINUTE_MS);
  assert.equal(most, 4);
  const ids = here.ids();
  for (let number = 0; number < 12; number += 2) assert.ok(ids.indexOf(`${number}`) < ids.indexOf(`${number + 1}`));
});

test('a post waits for the answer to the Accept of a follow before it, and not when that fails', async () => {
  for (const outcome of [DELIVERED, LATER]) {
    const here = await world();
    const held = new Map<string, (answer: DeliveryOutcome) => void>();
    here.plays.answer = ({ id }) => (id === 'post' ? DELIVERED : new Promise((resolve) => void held.set(id, resolve)));
    await here.queue({ id: 'first', inboxes: [FAR] });
    await here.queue({ id: 'accept', activity: 'Accept', inboxes: [FAR] });
    await here.queue({ id: 'post', inboxes: [FAR] });
    held.get('first')?.(DELIVERED);
    await here.stage.clock.advance(100);
    assert.deepEqual(here.ids(), ['first', 'accept']);
    held.get('accept')?.(outcome);
    await here.stage.clock.advance(100);
    assert.deepEqual(here.ids(), ['first', 'accept', 'post']);
  }
});

test('a failed delivery is tried again with growing pauses, and later ones of its object wait', async () => {
  const here = await world();
  here.plays.answer = ({ id }) => (id === 'a1' ? LATER : DELIVERED);
  await here.queue({ id: 'a1', inboxes: [FAR], order: 'a' });
  await here.queue({ id: 'a2', inboxes: [FAR], order: 'a' });
  // Answers in between: only this activity fails.
  for (let hour = 0; hour < 48; hour++) {
    await here.queue({ id: `b${hour}`, inboxes: [FAR] });
    await here.stage.clock.advance(HOUR_MS);
  }
  const tries = here.sent.filter(({ id }) => id === 'a1').map(({ atMs }) => atMs);
  const pauses = tries.slice(1).map((atMs, index) => (atMs - (tries[index] ?? 0)) / MINUTE_MS);
  for (const [index, least] of [1, 3, 9, 27, 81, 243, 360].entries())
    assert.ok((pauses[index] ?? 0) >= least && (pauses[index] ?? 0) <= least + 1, `${index}: ${pauses}`);
  assert.ok(!here.ids().includes('a2'));
  here.plays.answer = () => DELIVERED;
  await here.stage.clock.advance(12 * HOUR_MS);
  assert.deepEqual(here.ids().slice(-2), ['a1', 'a2']);
});

test('an activity whose signature cannot be verified now is sent again, and delays no other', async () => {
  const here = await world();
  here.plays.answer = ({ id }) => (id.startsWith('new') ? { kind: 'later', status: 401, reason: 'failed' } : DELIVERED);
  for (const id of ['new-1', 'new-2', 'new-3', 'new-4', 'known']) await here.queue({ id, inboxes: [FAR] });
  assert.deepEqual(here.ids(), ['new-1', 'new-2', 'new-3', 'new-4', 'known'], 'the breaker stays closed');
  here.plays.answer = () => DELIVERED;
  await here.stage.clock.advance(2 * MINUTE_MS);
  assert.deepEqual(here.ids().slice(5).sort(), ['new-1', 'new-2', 'new-3', 'new-4']);
});

test('a host that fails gets one probe at a time, and everything once it answers', async () => {
  const here = await world();
  here.plays.answer = () => LATER;
  for (let number = 0; number < 20; number++) await here.queue({ id: `${number}`, inboxes: [FAR] });
  assert.equal(here.sent.length, 3);
  await here.stage.clock.advance(30 * MINUTE_MS);
  assert.ok(here.sent.length >= 6 && here.sent.length <= 8, `${here.sent.length}`);
  assert.deepEqual(here.figures.waiting(here.stage.clock.nowMs()).count, 20);
  here.plays.answer = () => DELIVERED;
  here.sent.length = 0;
  await here.stage.clock.advance(HOUR_MS);
  assert.deepEqual(
    here.ids(),
    Array.from({ length: 20 }, (_, number) => `${number}`),
  );
  assert.equal(here.figures.waiting(here.stage.clock.nowMs()).count, 0);
});

test('a host that asks for a pause gets it, for all its deliveries', async () => {
  const here = await world();
  here.plays.answer = () => ({ kind: 'later', reason: 'busy', status: 429, afterMs: 2 * HOUR_MS });
  await here.queue({ id: '1', inboxes: [FAR] });
  await here.queue({ id: '2', inboxes: [FAR] });
  here.plays.answer = () => DELIVERED;
  await here.stage.clock.advance(2 * HOUR_MS - MINUTE_MS);
  assert.deepEqual(here.ids(), ['1']);
  await here.stage.clock.advance(2 * MINUTE_MS);
  assert.deepEqual(here.ids(), ['1', '1', '2']);
});

test('deliveries go on as soon as a short pause of their host has ended, in order and once', async () => {
  const here = await world();
  const busy: DeliveryOutcome = { kind: 'later', reason: 'busy', status: 429, afterMs: 1_000 };
  let requests = 0;
  const arrived: Sent[] = [];
  here.plays.answer = (one) => {
    if (requests++ % 4 === 0) return busy;
    arrived.push(one);
    return DELIVERED;
  };
  const ids = Array.from({ length: 12 }, (_, number) => `${number}`);
  const sinceMs = here.stage.clock.nowMs();
  for (const id of ids) await here.queue({ id, inboxes: [FAR], order: 'a' });
  await here.stage.clock.advance(10_000);
  assert.deepEqual(
    arrived.map(({ id }) => id),
    ids,
  );
  // Each fourth request is refused, and each pause takes a second.
  assert.equal(arrived.at(-1)?.atMs, sinceMs + 4_000);
});

test('a refused delivery is dropped, and the next one of its object goes', async () => {
  const here = await world();
  here.plays.answer = ({ id }) => (id === '1' ? { kind: 'refused', status: 403 } : DELIVERED);
  await here.queue({ id: '1', inboxes: [FAR], order: 'a' });
  await here.queue({ id: '2', inboxes: [FAR], order: 'a' });
  assert.deepEqual([here.ids(), here.figures.dropped.refused], [['1', '2'], 1]);
});

test('an inbox that is gone gets nothing for a week, and other inboxes of its host do', async () => {
  const here = await world();
  const gone: DeliveryOutcome = { kind: 'gone', status: 410 };
  const bob = 'https://far.example/users/bob/inbox';
  here.plays.answer = ({ inbox }) => (inbox === bob ? gone : DELIVERED);
  await here.queue({ id: '1', inboxes: [bob, FAR] });
  await here.queue({ id: '2', inboxes: [bob, FAR] });
  assert.deepEqual(
    here.sent.map(({ id, inbox }) => `${id} ${inbox}`),
    [`1 ${bob}`, `1 ${FAR}`, `2 ${FAR}`].sort(
      (a, b) =>
        here.sent.findIndex((s) => `${s.id} ${s.inbox}` === a) - here.sent.findIndex((s) => `${s.id} ${s.inbox}` === b),
    ),
  );
  assert.equal(here.figures.dropped.retired, 1);
  await here.stage.clock.advance(8 * DAY_MS);
  await here.queue({ id: '3', inboxes: [bob] });
  assert.equal(here.ids().at(-1), '3');
});

test('nothing is sent to a host that has failed for a week until it sends something, and then one probe', async () => {
  const here = await world();
  here.plays.answer = () => LATER;
  for (const id of ['1', '2', '3', '4']) await here.queue({ id, inboxes: [FAR] });
  for (let day = 0; day < 8; day++) {
    await here.stage.clock.advance(DAY_MS);
    if (day < 6) await here.queue({ id: `day ${day}`, inboxes: [FAR] });
  }
  here.sent.length = 0;
  await here.queue({ id: 'unsent', inboxes: [FAR] });
  await here.stage.clock.advance(DAY_MS);
  assert.deepEqual([here.ids(), await here.rows('far.example')], [[], 0]);
  await here.returned('far.example');
  await here.queue({ id: 'probe', inboxes: [FAR] });
  await here.queue({ id: 'after a failed probe', inboxes: [FAR] });
  await here.stage.clock.advance(HOUR_MS);
  assert.deepEqual(here.ids(), ['probe']);
  await here.returned('far.example');
  here.plays.answer = () => DELIVERED;
  await here.queue({ id: 'back', inboxes: [FAR] });
  await here.queue({ id: 'again', inboxes: [FAR] });
  assert.deepEqual(here.ids(), ['probe', 'back', 'again']);
});

test('an activity that was never tried is left out when a later one makes it needless', async () => {
  const here = await world();
  here.plays.answer = () => LATER;
  for (const id of ['1', '2', '3']) await here.queue({ id, inboxes: [FAR] });
  const about = (type: string, order: string, id: string) => here.queue({ id, activity: type, order, inboxes: [FAR] });
  await about('Create', 'note', 'create');
  await about('Update', 'note', 'update');
  await about('Delete', 'note', 'delete');
  await about('Create', 'other', 'other');
  await about('Update', 'other', 'first edit');
  await about('Update', 'other', 'second edit');
  here.sent.length = 0;
  here.plays.answer = () => DELIVERED;
  await here.stage.clock.advance(HOUR_MS);
  assert.deepEqual(here.ids().sort(), ['1', '2', '3', 'delete', 'other', 'second edit']);
  assert.equal(here.figures.dropped.replaced, 3);
});

test('a node that is killed after the host has answered sends the same activity again, and nothing is lost', async () => {
  const here = await world();
  let answer: (outcome: DeliveryOutcome) => void = () => undefined;
  here.plays.answer = () => new Promise((resolve) => (answer = resolve));
  await here.queue({ id: '1', inboxes: [FAR] });
  await here.queue({ id: '2', inboxes: [FAR] });
  const killed = here.takeOver();
  answer(DELIVERED);
  here.plays.answer = () => DELIVERED;
  await killed;
  await here.stage.clock.advance(2 * MINUTE_MS);
  assert.deepEqual(here.ids().sort(), ['1', '1', '2']);
  // The effects of the sender are repeated, too, and may store again what was delivered.
  await here.queue({ id: '3', inboxes: [FAR] });
  assert.deepEqual([here.ids().at(-1), new Set(here.ids())], ['3', new Set(['1', '2', '3'])]);
});

test('a host that hangs does not hold a handoff back, and the next owner sends what waits', async () => {
  const here = await world();
  here.plays.answer = () => new Promise(() => undefined);
  await here.queue({ id: '1', inboxes: [FAR] });
  let isReleased = false;
  void here.release().then(() => {
    isReleased = true;
  });
  await here.stage.clock.advance(2_000);
  assert.ok(isReleased);
  here.plays.answer = () => DELIVERED;
  await here.takeOver();
  await here.stage.clock.advance(MINUTE_MS);
  assert.deepEqual(here.ids(), ['1', '1']);
});

test('a pause continues on the node that takes over, and a host that waits leaves memory', async () => {
  const here = await world();
  here.plays.answer = () => LATER;
  for (const id of ['1', '2', '3']) await here.queue({ id, inboxes: [FAR] });
  await here.takeOver();
  await here.stage.clock.advance(30_000);
  assert.equal(here.sent.length, 3);
  here.plays.answer = () => DELIVERED;
  await here.stage.clock.advance(2 * MINUTE_MS);
  assert.deepEqual(here.ids().slice(3).sort(), ['1', '2', '3']);
});

test('a long queue is sent in pages, in order, after the host has returned', async () => {
  const here = await world();
  here.plays.answer = () => LATER;
  const count = 150;
  for (let number = 0; number < count; number++) await here.queue({ id: `${number}`, inboxes: [FAR], order: 'one' });
  here.sent.length = 0;
  here.plays.answer = () => DELIVERED;
  await here.stage.clock.advance(2 * HOUR_MS);
  assert.deepEqual(
    here.sent.map(({ id }: Sent) => id),
    Array.from({ length: count }, (_, number) => `${number}`),
  );
});

test('a delivery waits for an earlier one of its object that has failed on another page', async () => {
  const here = await world();
  let fails = true;
  here.plays.answer = ({ id }) => (id === 'create' && fails ? LATER : DELIVERED);
  await here.steer('far.example', 'pause');
  await here.queue({ id: 'create', inboxes: [FAR], order: 'post' });
  // More rows than two pages have.
  for (let number = 0; number < 70; number++) await here.queue({ id: `${number}`, inboxes: [FAR] });
  await here.queue({ id: 'update', inboxes: [FAR], order: 'post' });
  await here.steer('far.example', 'resume');
  await here.stage.clock.advance(1_000);
  assert.deepEqual([here.ids().length, here.ids().includes('update')], [71, false]);
  fails = false;
  await here.stage.clock.advance(HOUR_MS);
  assert.deepEqual(here.ids().slice(71), ['create', 'update']);
});
