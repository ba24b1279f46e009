import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { closeWorlds, DAY_MS, DELIVERED, HOUR_MS, LATER, MINUTE_MS, world } from './world.js';

const FAR = 'https://far.example/inbox';
const OTHER = 'https://other.example/inbox';

afterEach(closeWorlds);

test('a host is listed while something waits for it, with its attempts by class', async () => {
  const here = await world();
  await here.queue({ id: 'a', inboxes: [FAR, OTHER] });
  assert.deepEqual(await here.listed(), []);
  here.plays.answer = ({ inbox }) => (inbox === FAR ? LATER : DELIVERED);
  for (const id of ['1', '2', '3']) await here.queue({ id, inboxes: [FAR, OTHER] });
  assert.deepEqual(await here.listed(), ['far.example']);
  const { breaker, tally, nextMs } = await here.show('far.example');
  assert.deepEqual([breaker?.openings, tally?.delivered, tally?.failed, nextMs > 0], [1, 1, 3, true]);
  here.plays.answer = () => DELIVERED;
  await here.stage.clock.advance(HOUR_MS);
  assert.deepEqual(await here.listed(), []);
  assert.equal((await here.show('far.example')).tally?.delivered, 4);
});

test('an order to retry sends at once what waits, and closes the breaker only by an answer', async () => {
  const here = await world();
  here.plays.answer = () => LATER;
  for (const id of ['1', '2', '3', '4', '5']) await here.queue({ id, inboxes: [FAR] });
  await here.stage.clock.advance(HOUR_MS);
  here.sent.length = 0;
  await here.steer('far.example', 'retry');
  assert.equal(here.sent.length, 1);
  assert.ok(((await here.show('far.example')).breaker?.openings ?? 0) > 0);
  here.plays.answer = () => DELIVERED;
  here.sent.length = 0;
  await here.steer('far.example', 'retry');
  assert.deepEqual(here.ids(), ['1', '2', '3', '4', '5']);
  assert.deepEqual(await here.listed(), []);
});

test('a host that has failed for a week is tried again by order', async () => {
  const here = await world();
  here.plays.answer = () => LATER;
  for (let day = 0; day < 9; day++) {
    await here.queue({ id: `day ${day}`, inboxes: [FAR] });
    await here.stage.clock.advance(DAY_MS);
  }
  here.plays.answer = () => DELIVERED;
  here.sent.length = 0;
  assert.equal((await here.show('far.example')).gone, true);
  assert.deepEqual(await here.listed(), ['far.example']);
  await here.queue({ id: 'lost', inboxes: [FAR] });
  await here.steer('far.example', 'retry');
  await here.queue({ id: 'next', inboxes: [FAR] });
  assert.deepEqual([here.ids(), await here.listed()], [['next'], []]);
});

test('a paused host gets nothing, and everything in order when the pause ends', async () => {
  const here = await world();
  await here.steer('far.example', 'pause');
  for (const id of ['1', '2', '3']) await here.queue({ id, inboxes: [FAR, OTHER], order: 'a' });
  await here.stage.clock.advance(DAY_MS);
  assert.equal(here.sent.filter(({ inbox }) => inbox === FAR).length, 0);
  assert.deepEqual([await here.listed(), (await here.show('far.example')).held], [['far.example'], true]);
  assert.deepEqual(await here.steer('far.example', 'retry'), { problem: 'conflict', detail: 'The host is paused' });
  await here.takeOver();
  await here.stage.clock.advance(HOUR_MS);
  here.sent.length = 0;
  await here.steer('far.example', 'resume');
  assert.deepEqual([here.ids(), await here.listed()], [['1', '2', '3'], []]);
});

test('a pause holds what a running pass leaves', async () => {
  const here = await world();
  here.plays.answer = () => LATER;
  await here.queue({ id: '1', inboxes: [FAR] });
  await here.steer('far.example', 'pause');
  here.plays.answer = () => DELIVERED;
  here.sent.length = 0;
  await here.stage.clock.advance(DAY_MS);
  assert.deepEqual(here.ids(), []);
  await here.steer('far.example', 'resume');
  assert.deepEqual(here.ids(), ['1']);
});

test('an order to drop deletes what waits, and later activities are sent', async () => {
  const here = await world();
  here.plays.answer = () => LATER;
  for (const id of ['1', '2', '3', '4']) await here.queue({ id, inboxes: [FAR] });
  await here.steer('far.example', 'drop');
  assert.deepEqual([await here.rows('far.example'), here.figures.dropped.operator], [0, 4]);
  assert.equal(here.figures.waiting(here.stage.clock.nowMs()).count, 0);
  here.plays.answer = () => DELIVERED;
  here.sent.length = 0;
  await here.stage.clock.advance(1);
  await here.queue({ id: '5', inboxes: [FAR] });
  await here.stage.clock.advance(5 * MINUTE_MS);
  assert.deepEqual([here.ids(), await here.listed()], [['5'], []]);
});

test('a paused host stays listed when what waits for it is dropped, until the pause ends', async () => {
  const here = await world();
  await here.steer('far.example', 'pause');
  await here.queue({ id: '1', inboxes: [FAR] });
  await here.steer('far.example', 'drop');
  assert.equal(await here.rows('far.example'), 0);
  assert.deepEqual(await here.listed(), ['far.example']);
  await here.steer('far.example', 'resume');
  assert.deepEqual(await here.listed(), []);
});

test('an unknown order is refused', async () => {
  const here = await world();
  assert.deepEqual(await here.steer('far.example', 'burn'), {
    problem: 'bad_request',
    detail: 'There is no such order',
  });
});
