import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { WAITING_MAX } from '../../../actors/federation/delivery/pass.js';
import { digestOf } from '../../../actors/federation/delivery/rows.js';
import { hostId } from '../../../actors/remote-host/remote-host.js';
import { deliveries, outgoingDocuments } from '../../../store/federation-tables.js';
import { put, WRITE_ROWS_MAX } from '../../../store/port.js';
import type { DeliveryOutcome } from '../../../transport/federation/port.js';
import { closeWorlds, DAY_MS, DELIVERED, HOUR_MS, LATER, MINUTE_MS, SENDER, world } from './world.js';

const FAR = 'https://far.example/inbox';
const OTHER = 'https://other.example/inbox';
/** Failures as other servers cause them. */
const FAILURES: readonly DeliveryOutcome[] = [
  { kind: 'later', reason: 'failed', status: 500 },
  { kind: 'later', reason: 'busy', status: 429 },
  { kind: 'later', reason: 'busy', status: 503, afterMs: 30_000 },
  { kind: 'later', reason: 'unreachable' },
  { kind: 'later', reason: 'timeout' },
];

/** A failure of this server. */
const LOCAL: DeliveryOutcome = { kind: 'later', reason: 'local' };

afterEach(closeWorlds);

for (const [name, awayMs, backMs] of [
  ['30 min', 30 * MINUTE_MS, 40 * MINUTE_MS],
  ['24 h', DAY_MS, 7 * HOUR_MS],
] as const) {
  test(`everything arrives once, in order, after a peer was away for ${name}`, async () => {
    const here = await world();
    let attempts = 0;
    here.plays.answer = ({ inbox }) =>
      inbox === OTHER ? DELIVERED : (FAILURES[attempts++ % FAILURES.length] as DeliveryOutcome);
    const both = [FAR, OTHER];
    // Each is tried before the next one exists, so none replaces another.
    for (const activity of ['Create', 'Update', 'Delete']) {
      for (const note of ['a', 'b', 'c'])
        await here.queue({ id: `${activity} ${note}`, activity, order: note, inboxes: both });
      await here.stage.clock.advance(awayMs / 4);
    }
    await here.stage.clock.advance(awayMs / 4);
    assert.equal(here.sent.filter(({ inbox }) => inbox === OTHER).length, 9);
    assert.ok(attempts < 100, `${attempts} attempts`);
    here.sent.length = 0;
    here.plays.answer = () => DELIVERED;
    await here.stage.clock.advance(backMs);
    const ids = here.ids();
    assert.equal(new Set(ids).size, ids.length);
    for (const note of ['a', 'b', 'c']) {
      const order = ids.filter((id) => id.endsWith(note)).map((id) => id.split(' ')[0]);
      assert.deepEqual(order.at(0), 'Create');
      assert.deepEqual(order.at(-1), 'Delete');
      assert.ok(order.indexOf('Update') < order.indexOf('Delete'));
    }
    assert.equal(here.figures.waiting(here.stage.clock.nowMs()).count, 0);
  });
}

test('a host that asks for a pause again and again gets one attempt after each', async () => {
  const here = await world();
  here.plays.answer = () => ({ kind: 'later', reason: 'busy', status: 429, afterMs: DAY_MS });
  for (let number = 0; number < 20; number++) await here.queue({ id: `${number}`, inboxes: [FAR] });
  await here.stage.clock.advance(3 * DAY_MS + HOUR_MS);
  assert.ok(here.sent.length <= 4, `${here.sent.length} attempts`);
  here.plays.answer = () => DELIVERED;
  await here.stage.clock.advance(DAY_MS);
  assert.equal(new Set(here.ids()).size, 20);
});

test('failures of this server itself open no breaker, and their deliveries go out soon after', async () => {
  const here = await world();
  here.plays.answer = () => LOCAL;
  for (let number = 0; number < 10; number++) await here.queue({ id: `${number}`, inboxes: [FAR] });
  assert.deepEqual([here.ids().length, here.figures.failed.local, here.figures.failed.failed], [10, 10, 0]);
  // The pauses do not grow.
  await here.stage.clock.advance(HOUR_MS);
  assert.ok(here.sent.length > 10 * 25, `${here.sent.length} attempts`);
  const { breaker, tally } = await here.show('far.example');
  assert.deepEqual([breaker?.openings, breaker?.failingSinceMs, tally?.failed], [0, 0, 0]);
  here.plays.answer = () => DELIVERED;
  here.sent.length = 0;
  await here.stage.clock.advance(3 * MINUTE_MS);
  assert.deepEqual(
    here.ids(),
    Array.from({ length: 10 }, (_, number) => `${number}`),
  );
});

test('deliveries that may not be sent are dropped, and say nothing about their host', async () => {
  const here = await world();
  here.plays.answer = () => LATER;
  for (const id of ['1', '2', '3']) await here.queue({ id, inboxes: [FAR] });
  await here.stage.clock.advance(DAY_MS);
  const failing = await here.show('far.example');
  // Its domain is suspended now.
  here.plays.answer = () => ({ kind: 'refused' });
  await here.stage.clock.advance(DAY_MS);
  const suspended = await here.show('far.example');
  assert.deepEqual(
    [suspended.breaker?.failingSinceMs, suspended.breaker?.openings],
    [failing.breaker?.failingSinceMs, failing.breaker?.openings],
  );
  assert.deepEqual(
    [suspended.tally?.refused, suspended.tally?.dropped, here.figures.dropped.refused, await here.rows('far.example')],
    [0, 3, 3, 0],
  );
  here.plays.answer = () => LATER;
  await here.queue({ id: 'later', inboxes: [FAR] });
  await here.stage.clock.advance(6 * DAY_MS);
  assert.equal((await here.show('far.example')).gone, true, 'a week without an answer has passed');
});

test('an open breaker admits one request at a time if the first one fails here', async () => {
  const here = await world();
  here.plays.answer = () => LATER;
  for (let number = 0; number < 10; number++) await here.queue({ id: `${number}`, inboxes: [FAR] });
  here.sent.length = 0;
  let [under, most] = [0, 0];
  here.plays.answer = async ({ id }) => {
    under += 1;
    most = Math.max(most, under);
    await new Promise((resolve) => setImmediate(resolve));
    under -= 1;
    return id === '0' ? LOCAL : LATER;
  };
  await here.stage.clock.advance(MINUTE_MS + 1);
  assert.deepEqual([here.ids(), most], [['0', '1'], 1]);
  assert.equal((await here.show('far.example')).breaker?.openings, 2);
});

test('100,000 deliveries wait for a host; the oldest of more are dropped and counted', async () => {
  const here = await world();
  const nowMs = here.stage.clock.nowMs();
  const host = hostId('far.example');
  const excess = 40;
  const bucket = Math.floor(nowMs / 2 ** 25);
  // A text that exists: without one each attempt fails here, and says nothing about the host.
  await here.stage.shared.write([put(outgoingDocuments, { document: 'text' }, { body: Buffer.from('{"id":"long"}') })]);
  const value = { document: 'text', signer: SENDER, signerUri: 'https://here.example/users/ann', type: 'Create' };
  const row = (seq: number) =>
    put(
      deliveries,
      { host, bucket, atMs: nowMs, seq, part: `0 text ${digestOf(FAR)}` },
      { ...value, inbox: FAR, order: `${seq}`, attempts: 0, triedMs: 0, dueMs: 0 },
    );
  for (let first = 0; first < WAITING_MAX + excess; first += WRITE_ROWS_MAX) {
    const count = Math.min(WRITE_ROWS_MAX, WAITING_MAX + excess - first);
    await here.stage.shared.write(Array.from({ length: count }, (_, index) => row(1_000 + first + index)));
  }
  here.plays.answer = () => LATER;
  // Three failures open the breaker: the pass counts what waits.
  for (const id of ['1', '2', '3']) await here.queue({ id, inboxes: [FAR] });
  await here.stage.clock.advance(10 * MINUTE_MS);
  const { count } = here.figures.waiting(here.stage.clock.nowMs());
  assert.equal(count, WAITING_MAX);
  assert.equal(here.figures.dropped.overflow, excess + 3);
  const [oldest] = await here.stage.shared.range(deliveries, { host, bucket }, { limit: 1 });
  assert.ok((oldest?.key.seq ?? 0) > 1_000, 'the oldest went first');
});

test('a breaker stays open when its host sends something', async () => {
  const here = await world();
  here.plays.answer = () => LATER;
  for (const id of ['1', '2', '3', '4']) await here.queue({ id, inboxes: [FAR] });
  const before = here.sent.length;
  for (let number = 0; number < 5; number++) {
    await here.returned('far.example');
    // The row that says whether a host has failed for a week may be old.
    await here.heard('far.example');
    await here.queue({ id: `again ${number}`, inboxes: [FAR] });
  }
  assert.equal(here.sent.length, before);
  assert.ok(((await here.show('far.example')).breaker?.pausedUntilMs ?? 0) > here.stage.clock.nowMs());
});
