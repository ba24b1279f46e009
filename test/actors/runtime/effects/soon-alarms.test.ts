import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { idShard, makeId } from '../../../../actors/domain/ids.js';
import { problem } from '../../../../actors/domain/problem.js';
import { alarmRow } from '../../../../actors/runtime/effects/alarm-row.js';
import { Alarms, LOOK_EVERY_MS } from '../../../../actors/runtime/effects/alarms.js';
import { SET_ALARMS_MAX } from '../../../../actors/runtime/effects/due-alarms.js';
import type { ActorKind } from '../../../../actors/runtime/kind.js';
import type { Tables } from '../../../../store/port.js';
import { alarms as alarmsTable } from '../../../../store/tables.js';
import { jsonCodec } from '../../../kit/actors/notebook.js';
import { Stage, type StageNode } from '../../../kit/actors/stage.js';
import { waitingAlarms } from '../../../kit/actors/waiting-alarms.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const SECOND_MS = 1_000;
const BELL = makeId(1_767_225_600_000, 2, 1);

interface Commands {
  /** Sets the alarm; an earlier one counts no more. */
  set: { in: { atMs: number }; out: object };
  alarm: { in: { what: string; atMs: number }; out: object };
}
interface Events {
  set: { atMs: number };
  rung: object;
}
type Bell = ActorKind<{ atMs: number }, Commands, Events>;

/** Returns a kind of actor with one alarm. `rings` gets the time of each call, `isUp` false makes calls fail. */
function bellOf(rings: number[], clock: { nowMs(): number }, isUp: () => boolean): Bell {
  return {
    name: 'bell',
    initial: () => ({ atMs: 0 }),
    stateVersion: 1,
    decide: {
      set: (_state, { atMs }) => ({ events: [{ type: 'set', atMs }], reply: {} }),
      alarm(state, { atMs }) {
        if (!isUp()) return problem('unavailable', 'Not now');
        if (atMs !== state.atMs) return { events: [], reply: {} };
        rings.push(clock.nowMs());
        return { events: [{ type: 'rung' }], reply: {} };
      },
    },
    apply: {
      set: (state, { atMs }) => void Object.assign(state, { atMs }),
      rung: (state) => void Object.assign(state, { atMs: 0 }),
    },
    commands: {
      set: { in: jsonCodec('Set'), out: jsonCodec('Done'), repeats: 'idempotent', local: true },
      alarm: { in: jsonCodec('Alarm'), out: jsonCodec('Answered'), repeats: 'idempotent', local: true },
    },
    events: {
      set: { codec: jsonCodec('WasSet'), invalidates: false },
      rung: { codec: jsonCodec('Rung'), invalidates: false },
    },
    reactions: [
      {
        surface: 'alarms',
        beforeReply: true,
        on: { set: ({ atMs }, _now, effects) => effects.setAlarm(atMs, 'bell') },
      },
    ],
  };
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A bell on one of several nodes whose alarms ring. */
async function belfry() {
  const stage = new Stage();
  const { clock } = stage;
  closing.push(() => stage.close());
  const rings: number[] = [];
  const calls: string[] = [];
  const plays = { isUp: true };
  /** @param changed the store as the alarms of this node see it */
  const open = async (name: string, epoch: number | undefined, changed: Partial<Tables> = {}) => {
    const node = await stage.node(epoch, {}, [bellOf(rings, clock, () => plays.isUp)]);
    await node.runtime.acquire(epoch === undefined ? [] : [idShard(BELL)]);
    const { runtime, placement } = node;
    const { shared } = stage;
    const alarms = new Alarms({
      tables: {
        get: (table, key) => shared.get(table, key),
        range: (table, partition, options) => shared.range(table, partition, options),
        write: (rows) => shared.write(rows),
        ...changed,
      },
      asker: {
        answerNow: (...asked) => runtime.answerNow(...asked),
        ask(...asked) {
          calls.push(name);
          return runtime.ask(...asked);
        },
      },
      placement: { epochOf: () => placement.epochOf() },
      ...{ clock, logger: silent },
    });
    node.alarmSet = (alarm) => alarms.wasSet(alarm);
    alarms.start();
    closing.push(() => alarms.close());
    // The first read is over.
    await clock.advance(SECOND_MS);
    return { node, alarms };
  };
  return {
    ...{ stage, clock, shared: stage.shared, rings, calls, plays, open },
    /** Sets the bell, and returns the time at which it is to ring. */
    async set({ runtime }: StageNode, delayMs: number): Promise<number> {
      const atMs = clock.nowMs() + delayMs;
      const asked = runtime.ask('bell', BELL, 'set', { atMs });
      await clock.settle();
      await asked;
      return atMs;
    },
    waiting: async () => (await waitingAlarms(stage.shared, clock.nowMs())).length,
  };
}

test('an alarm that is set for a second later rings then, once, and its row is deleted', async () => {
  const here = await belfry();
  const { node } = await here.open('one', 1);
  const atMs = await here.set(node, SECOND_MS);
  await here.clock.advance(SECOND_MS - 1);
  assert.deepEqual([here.rings, await here.waiting()], [[], 1]);
  await here.clock.advance(1);
  assert.deepEqual([here.rings, await here.waiting()], [[atMs], 0]);
  await here.clock.advance(3 * LOOK_EVERY_MS);
  assert.equal(here.calls.length, 1);
});

test('an alarm rings once if a read finds it before its time', async () => {
  const here = await belfry();
  const { node } = await here.open('one', 1);
  const atMs = await here.set(node, LOOK_EVERY_MS + 5 * SECOND_MS);
  await here.clock.advance(3 * LOOK_EVERY_MS);
  assert.deepEqual([here.rings, here.calls.length], [[atMs], 1]);
});

test('an alarm for a time that has passed rings at once', async () => {
  const here = await belfry();
  const { node } = await here.open('one', 1);
  await here.set(node, -SECOND_MS);
  await here.clock.advance(0);
  assert.equal(here.rings.length, 1);
});

test('an alarm that is set again rings at its new time, and has no effect at the former one', async () => {
  const here = await belfry();
  const { node } = await here.open('one', 1);
  await here.set(node, 2 * SECOND_MS);
  await here.set(node, 9 * SECOND_MS);
  const atMs = await here.set(node, 5 * SECOND_MS);
  await here.clock.advance(LOOK_EVERY_MS);
  assert.deepEqual([here.rings, await here.waiting()], [[atMs], 0]);
});

test('an alarm that is set during a read rings in time, and is not called again for what the read saw', async () => {
  const here = await belfry();
  let proceed: (() => void)[] | undefined;
  const { node } = await here.open('one', 1, {
    async range(table, partition, options) {
      const rows = await here.shared.range(table, partition, options);
      const waits = proceed;
      if (table.name === alarmsTable.name && waits !== undefined)
        await new Promise<void>((resolve) => void waits.push(resolve));
      return rows;
    },
  });
  await here.set(node, LOOK_EVERY_MS + SECOND_MS);
  proceed = [];
  // The read has seen the first alarm when the second one is set, and ends after both have rung.
  await here.clock.advance(LOOK_EVERY_MS - SECOND_MS);
  const atMs = await here.set(node, SECOND_MS);
  await here.clock.advance(5 * SECOND_MS);
  assert.deepEqual([here.rings, here.calls.length], [[atMs], 2]);
  const held = proceed;
  proceed = undefined;
  for (const go of held) go();
  await here.clock.advance(2 * LOOK_EVERY_MS);
  assert.equal(here.calls.length, 2);
});

test('an alarm whose node is killed is rung by the next owner', async () => {
  const here = await belfry();
  const first = await here.open('one', 1);
  const second = await here.open('two', undefined);
  await here.set(first.node, 2 * SECOND_MS);
  first.alarms.close();
  here.stage.kill(first.node);
  second.node.placement.epoch = 2;
  await second.node.runtime.acquire([idShard(BELL)]);
  second.alarms.shardsChanged();
  await here.clock.advance(3 * SECOND_MS);
  assert.deepEqual([here.rings.length, here.calls, await here.waiting()], [1, ['two'], 0]);
});

test('a node that has lost a shard leaves its alarms to the next owner', async () => {
  const here = await belfry();
  const first = await here.open('one', 1);
  const second = await here.open('two', undefined);
  await here.set(first.node, 2 * SECOND_MS);
  first.node.placement.epoch = undefined;
  first.node.runtime.abandon([idShard(BELL)]);
  await here.clock.advance(3 * SECOND_MS);
  assert.deepEqual([here.calls, await here.waiting()], [[], 1]);
  second.node.placement.epoch = 2;
  await second.node.runtime.acquire([idShard(BELL)]);
  second.alarms.shardsChanged();
  await here.clock.advance(2 * SECOND_MS);
  await here.clock.advance(2 * LOOK_EVERY_MS);
  // The next owner repeats the effect, which sets the alarm again.
  assert.deepEqual([here.rings.length, new Set(here.calls), await here.waiting()], [1, new Set(['two']), 0]);
});

test('an alarm is not called before its time by a clock that was set back', async () => {
  const here = await belfry();
  const { node } = await here.open('one', 1);
  const atMs = await here.set(node, 2 * SECOND_MS);
  here.clock.skewMs = -5 * SECOND_MS;
  await here.clock.advance(6 * SECOND_MS);
  assert.deepEqual(here.calls, []);
  await here.clock.advance(SECOND_MS);
  assert.deepEqual(here.rings, [atMs]);
});

test('an alarm that a clock has stepped over rings after the next read at the latest', async () => {
  const here = await belfry();
  const { node } = await here.open('one', 1);
  await here.set(node, 50 * SECOND_MS);
  here.clock.skewMs = 3_600_000;
  await here.clock.advance(LOOK_EVERY_MS);
  assert.equal(here.rings.length, 1);
});

test('an alarm whose call failed rings again after a read', async () => {
  const here = await belfry();
  const { node } = await here.open('one', 1);
  here.plays.isUp = false;
  await here.set(node, SECOND_MS);
  await here.clock.advance(2 * SECOND_MS);
  assert.deepEqual([here.rings.length, here.calls.length], [0, 1]);
  here.plays.isUp = true;
  await here.clock.advance(LOOK_EVERY_MS);
  assert.deepEqual([here.rings.length, await here.waiting()], [1, 0]);
});

test('an alarm that is set while too many wait in memory rings after the next read', async () => {
  const here = await belfry();
  const { node, alarms } = await here.open('one', 1);
  const nowMs = here.clock.nowMs();
  for (let index = 0; index < SET_ALARMS_MAX; index++)
    alarms.wasSet(alarmRow(`bell/${BELL}`, nowMs + 59 * SECOND_MS, `${index}`, nowMs));
  await here.set(node, SECOND_MS);
  await here.clock.advance(2 * SECOND_MS);
  assert.deepEqual(here.rings, []);
  await here.clock.advance(LOOK_EVERY_MS);
  assert.equal(here.rings.length, 1);
});

test('actors that do not answer do not delay the alarms of others', async () => {
  const here = await belfry();
  const { node, alarms } = await here.open('one', 1);
  const nowMs = here.clock.nowMs();
  // No node hosts actors of this shard, so each call ends at its deadline.
  for (let index = 0; index < 10; index++)
    alarms.wasSet(alarmRow(`bell/${makeId(nowMs, 900, index)}`, nowMs, 'bell', nowMs));
  await here.clock.advance(0);
  const atMs = await here.set(node, SECOND_MS);
  await here.clock.advance(SECOND_MS);
  assert.deepEqual(here.rings, [atMs]);
});
