import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALARM_LANES, alarmKey } from '../../../../actors/domain/alarm.js';
import { eraOfId, makeId } from '../../../../actors/domain/ids.js';
import { isProblem, Unavailable } from '../../../../actors/domain/problem.js';
import { Alarms, LOOK_EVERY_MS } from '../../../../actors/runtime/effects/alarms.js';
import type { Placement } from '../../../../actors/runtime/placement/placement.js';
import { put, type Tables } from '../../../../store/port.js';
import { accountStatuses, alarmFloors, alarms, notifications, statuses } from '../../../../store/tables.js';
import { waitingAlarms } from '../../../kit/actors/waiting-alarms.js';
import { blankPost, town } from '../../reactions/town.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const POLL = { options: ['yes', 'no'], expiresInMs: 300_000, multiple: false, hideTotals: false };

async function asked() {
  const here = await town(['alice', 'bob']);
  const posted = await here.account(here.id('alice'), 'post', { ...blankPost, poll: POLL });
  assert.ok(!isProblem(posted));
  const vote = { statusId: posted.id, by: here.id('bob'), choices: [0] };
  assert.ok(!isProblem(await here.conversation(posted.conversationId, 'vote', vote)));
  /** `aheadMs`: offset of the node's clock from the time of most members. */
  const watch = (changed: Partial<Tables> = {}, aheadMs?: number, placed: Pick<Placement, 'unsteppedMs'> = {}) => {
    const { stage, node, tables } = here;
    const watching = new Alarms({
      tables: {
        get: (table, key) => tables.get(table, key),
        range: (table, partition, options) => tables.range(table, partition, options),
        write: (rows) => tables.write(rows),
        ...changed,
      },
      asker: node.runtime,
      placement: {
        epochOf: () => node.placement.epochOf(),
        clusterMs: () => (aheadMs === undefined ? undefined : stage.clock.nowMs() - aheadMs + 0.5),
        ...placed,
      },
      clock: stage.clock,
      logger: silent,
    });
    watching.start();
    return watching;
  };
  const told = async (name: string) =>
    (
      await here.tables.range(notifications, { account: here.id(name), era: eraOfId(here.id(name)) }, { limit: 10 })
    ).map(({ value }) => value.type);
  const waiting = async () => {
    const todayMs = here.stage.clock.nowMs();
    let rows = 0;
    for (const day of [-1, 0, 1]) rows += (await waitingAlarms(here.tables, todayMs + day * DAY_MS)).length;
    return rows;
  };
  const ended = async () => (await here.tables.get(statuses, { status: posted.id }))?.poll?.ended;
  return { ...here, watch, told, waiting, ended };
}

test('a poll ends at its time, and notifies its author and voters once', async () => {
  const here = await asked();
  const watching = here.watch();
  await here.stage.clock.advance(299_000);
  assert.deepEqual([await here.ended(), await here.waiting()], [false, 1]);
  await here.stage.clock.advance(2_000);
  assert.deepEqual([await here.ended(), await here.waiting()], [true, 0]);
  await here.stage.clock.advance(LOOK_EVERY_MS * 3);
  assert.deepEqual([await here.told('alice'), await here.told('bob')], [['poll'], ['poll']]);
  watching.close();
  here.stage.close();
});

test('a poll that ended while no node ran is ended by the next node', async () => {
  const here = await asked();
  const first = here.watch();
  await here.stage.clock.advance(60_000);
  first.close();
  await here.stage.clock.advance(86_400_000);
  assert.equal(await here.ended(), false);
  const second = here.watch();
  await here.stage.clock.advance(1_000);
  assert.deepEqual([await here.ended(), await here.waiting(), await here.told('bob')], [true, 0, ['poll']]);
  second.close();
  here.stage.close();
});

test('a node that does not own the actor does not call it', async () => {
  const here = await asked();
  here.node.placement.epoch = undefined;
  const watching = here.watch();
  await here.stage.clock.advance(400_000);
  assert.equal(await here.waiting(), 1);
  watching.close();
  here.stage.close();
});

test('an alarm that became due at another owner rings soon after the shard moved here', async () => {
  const here = await asked();
  here.node.placement.epoch = undefined;
  const watching = here.watch();
  await here.stage.clock.advance(LOOK_EVERY_MS * 12);
  assert.equal(await here.ended(), false);
  here.node.placement.epoch = 2;
  watching.shardsChanged();
  watching.shardsChanged();
  await here.stage.clock.advance(LOOK_EVERY_MS / 10);
  assert.deepEqual([await here.ended(), await here.waiting()], [true, 0]);
  watching.close();
  here.stage.close();
});

test('a scheduled status is posted at its time after an outage of all nodes', async () => {
  const here = await asked();
  const [alice, { clock }] = [here.id('alice'), here.stage];
  const dueMs = clock.nowMs() + 600_000;
  const later = { post: { ...blankPost, text: 'later', html: '<p>later</p>' }, dueMs };
  assert.ok(!isProblem(await here.account(alice, 'schedule', later)));
  const texts = async () => {
    const rows = await here.tables.range(accountStatuses, { account: alice, era: eraOfId(alice) }, { limit: 10 });
    const keys = rows.map(({ key }) => ({ status: key.status }));
    return (await here.tables.getMany(statuses, keys)).map((record) => record?.text);
  };
  await clock.advance(700_000);
  assert.deepEqual(await texts(), ['Hello']);
  const watching = here.watch();
  await clock.advance(1_000);
  assert.deepEqual([await texts(), await here.waiting()], [['Hello', 'later'], 0]);
  watching.close();
  here.stage.close();
});

test('a lane that cannot be read does not delay the alarms of others', async () => {
  const here = await asked();
  const [waiting] = await waitingAlarms(here.tables, here.stage.clock.nowMs());
  assert.ok(waiting);
  const { lane } = waiting.key;
  let isDown = true;
  const range: Tables['range'] = (table, partition, options) => {
    const isIt = (partition as { lane?: number }).lane === (lane === 0 ? 1 : 0);
    if (isDown && table.name === alarms.name && isIt) throw new Unavailable('no quorum');
    return here.tables.range(table, partition, options);
  };
  const watching = here.watch({ range });
  await here.stage.clock.advance(301_000);
  assert.equal(await here.ended(), true);
  isDown = false;
  watching.close();
  here.stage.close();
});

test('a lane that fails for a while rings alarms that were read before at their time', async () => {
  const here = await asked();
  let isDown = false;
  const range: Tables['range'] = (table, partition, options) => {
    if (isDown) throw new Unavailable('no quorum');
    return here.tables.range(table, partition, options);
  };
  const watching = here.watch({ range });
  await here.stage.clock.advance(270_000);
  isDown = true;
  await here.stage.clock.advance(31_000);
  assert.equal(await here.ended(), true);
  watching.close();
  here.stage.close();
});

test('a new node begins to read near the present, however many alarms rang before', async () => {
  const here = await asked();
  const first = here.watch();
  await here.stage.clock.advance(5 * HOUR_MS);
  first.close();
  const bounds: number[] = [];
  const range: Tables['range'] = (table, partition, options) => {
    if (table.name === alarms.name) bounds.push((options.after as { ringMs: number }).ringMs);
    return here.tables.range(table, partition, options);
  };
  const second = here.watch({ range });
  await here.stage.clock.advance(0);
  second.close();
  assert.ok(bounds.length >= 16);
  assert.ok(Math.min(...bounds) > here.stage.clock.nowMs() - 3 * HOUR_MS);
  here.stage.close();
});

test('an unanswered alarm rings repeatedly, and does not hold down the floor of its lane', async () => {
  const here = await asked();
  const [stuck, set] = [makeId(here.stage.clock.nowMs(), 5, 1), here.stage.clock.nowMs()];
  // No actor of this kind exists here, so each call fails.
  await here.tables.write([put(alarms, alarmKey('unknown', stuck, set, 'anything'), { atMs: set })]);
  const watching = here.watch();
  await here.stage.clock.advance(6 * HOUR_MS);
  const [row, ...others] = (await waitingAlarms(here.tables, here.stage.clock.nowMs())).filter(
    ({ key }) => key.actor === `unknown/${stuck}`,
  );
  assert.ok(row !== undefined && others.length === 0);
  assert.equal(row.value.atMs, set);
  assert.ok(row.key.ringMs > here.stage.clock.nowMs() - 2 * HOUR_MS);
  const floor = await here.tables.get(alarmFloors, { lane: row.key.lane });
  assert.ok((floor?.atMs ?? 0) > set);
  watching.close();
  here.stage.close();
});

test('an alarm whose effect was delayed beyond its time still rings', async () => {
  const here = await town(['alice', 'bob']);
  const { stage, node, tables } = here;
  const watching = new Alarms({
    tables,
    asker: node.runtime,
    placement: node.placement,
    clock: stage.clock,
    logger: silent,
  });
  watching.start();
  node.store.breakWrites(alarms);
  void here.askAccount(here.id('alice'), 'post', { ...blankPost, poll: POLL });
  await stage.clock.advance(8 * HOUR_MS);
  node.store.mend();
  await stage.clock.advance(2 * LOOK_EVERY_MS + 60_000);
  const told = await tables.range(
    notifications,
    { account: here.id('alice'), era: eraOfId(here.id('alice')) },
    { limit: 10 },
  );
  assert.deepEqual(
    told.map(({ value }) => value.type),
    ['poll'],
  );
  watching.close();
  stage.close();
});

test('the alarms of one lane that exceed one read ring after the next', async () => {
  const here = await asked();
  const set = here.stage.clock.nowMs();
  const lanes = Array.from({ length: 1_500 }, (_, n) => makeId(set, 16, n % 64) + String(n).padStart(4, '0'));
  for (let at = 0; at < lanes.length; at += 100)
    await here.tables.write(
      lanes
        .slice(at, at + 100)
        .map((what) => put(alarms, alarmKey('account', here.id('alice'), set, what), { atMs: set })),
    );
  const watching = here.watch();
  await here.stage.clock.advance(LOOK_EVERY_MS * 2);
  assert.equal(await here.waiting(), 1, 'the poll');
  watching.close();
  here.stage.close();
});

test('an alarm in a hundred years stays in its row, and no read before scans it', async () => {
  const here = await asked();
  const farMs = here.stage.clock.nowMs() + 36_525 * DAY_MS;
  const row = put(alarms, alarmKey('account', here.id('alice'), farMs, 'far'), { atMs: farMs });
  await here.tables.write([row]);
  const watching = here.watch();
  await here.stage.clock.advance(HOUR_MS);
  assert.equal((await waitingAlarms(here.tables, farMs)).length, 1);
  watching.close();
  here.stage.close();
});

test('a node whose clock is two hours ahead renews an unanswered alarm for the time of most members', async () => {
  const here = await asked();
  const nowMs = here.stage.clock.nowMs() - 2 * HOUR_MS;
  const [stuck, set] = [makeId(nowMs, 5, 1), nowMs - 2 * HOUR_MS];
  await here.tables.write([put(alarms, alarmKey('unknown', stuck, set, 'anything'), { atMs: set })]);
  const watching = here.watch({}, 2 * HOUR_MS);
  await here.stage.clock.advance(10 * LOOK_EVERY_MS);
  const [row] = (await waitingAlarms(here.tables, nowMs)).filter(({ key }) => key.actor === `unknown/${stuck}`);
  assert.ok(row !== undefined && row.key.ringMs > set, 'renewed');
  assert.ok(row.key.ringMs <= here.stage.clock.nowMs() - 2 * HOUR_MS + 500, 'not in the future');
  watching.close();
  here.stage.close();
});

test('a lone node with a stepped clock renews an unanswered alarm for the time that has passed', async () => {
  const here = await asked();
  const { clock } = here.stage;
  const [stuck, set, stepMs] = [makeId(clock.nowMs(), 5, 1), clock.nowMs() - 2 * HOUR_MS, 2 * HOUR_MS];
  await here.tables.write([put(alarms, alarmKey('unknown', stuck, set, 'anything'), { atMs: set })]);
  const watching = here.watch({}, undefined, { unsteppedMs: () => clock.nowMs() - stepMs });
  await clock.advance(HOUR_MS + 10 * LOOK_EVERY_MS);
  const days = new Set([set, clock.nowMs()].map((ms) => Math.floor(ms / DAY_MS) * DAY_MS));
  const waiting = await Promise.all(Array.from(days, (dayMs) => waitingAlarms(here.tables, dayMs)));
  const [row, ...others] = waiting.flat().filter(({ key }) => key.actor === `unknown/${stuck}`);
  assert.ok(row !== undefined && others.length === 0);
  assert.ok(row.key.ringMs > set, 'renewed');
  assert.ok(row.key.ringMs <= clock.nowMs() - stepMs, 'not in the future');
  watching.close();
  here.stage.close();
});

test('an effect of a lone node with a stepped clock sets its alarm for the time that has passed', async () => {
  const here = await town(['alice']);
  const { stage, node, tables } = here;
  const stepMs = 2 * HOUR_MS;
  Object.assign(node.placement, { unsteppedMs: () => stage.clock.nowMs() - stepMs });
  node.store.breakWrites(alarms);
  void here.askAccount(here.id('alice'), 'post', { ...blankPost, poll: POLL });
  await stage.clock.advance(6 * HOUR_MS);
  node.store.mend();
  await stage.clock.advance(60_000);
  const nowMs = stage.clock.nowMs() - stepMs;
  assert.deepEqual(
    (await waitingAlarms(tables, nowMs)).map(({ key }) => key.ringMs <= nowMs),
    [true],
  );
  stage.close();
});

test('an effect that an outage delayed sets its alarm for the present of most members, not of a clock ahead', async () => {
  const here = await town(['alice']);
  const { stage, node, tables } = here;
  const aheadMs = 2 * HOUR_MS;
  Object.assign(node.placement, { clusterMs: () => stage.clock.nowMs() - aheadMs });
  node.store.breakWrites(alarms);
  void here.askAccount(here.id('alice'), 'post', { ...blankPost, poll: POLL });
  await stage.clock.advance(6 * HOUR_MS);
  node.store.mend();
  await stage.clock.advance(60_000);
  const nowMs = stage.clock.nowMs() - aheadMs;
  assert.deepEqual(
    (await waitingAlarms(tables, nowMs)).map(({ key }) => key.ringMs <= nowMs + 500),
    [true],
  );
  stage.close();
});

test('alarms ring below a floor that a clock far ahead has stored', async () => {
  const here = await asked();
  const floorMs = here.stage.clock.nowMs() + DAY_MS;
  for (let lane = 0; lane < ALARM_LANES; lane++)
    await here.tables.write([put(alarmFloors, { lane }, { atMs: floorMs })]);
  const watching = here.watch();
  await here.stage.clock.advance(300_000 + LOOK_EVERY_MS);
  assert.deepEqual([await here.ended(), await here.waiting()], [true, 0]);
  watching.close();
  here.stage.close();
});
