import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ALARM_LANES, alarmDay } from '../../../../actors/domain/alarm.js';
import { makeId } from '../../../../actors/domain/ids.js';
import { Unavailable } from '../../../../actors/domain/problem.js';
import { forgetAtMs } from '../../../../actors/runtime/activation/forgetting.js';
import { alarmRow, putAlarm } from '../../../../actors/runtime/effects/alarm-row.js';
import { Alarms } from '../../../../actors/runtime/effects/alarms.js';
import type { AnyKind } from '../../../../actors/runtime/kind.js';
import { alarms, journal, snapshotChunks, snapshots } from '../../../../store/tables.js';
import { jsonCodec, notebook } from '../../../kit/actors/notebook.js';
import { Stage, type StageNode } from '../../../kit/actors/stage.js';
import { fc } from '../../../kit/property.js';

const DAY_MS = 86_400_000;
const id = makeId(1_767_225_600_000, 1, 0);
const actor = `notebook/${id}`;
const SECRET = 'the words that nobody shall read again';

/** A notebook in which a line `strike` deletes all lines before it. */
function striking(): AnyKind {
  const { decide, commands, events, ...rest } = notebook() as AnyKind;
  return {
    ...rest,
    decide: { ...decide, alarm: () => assert.fail('the runtime answers it') },
    apply: {
      added: (state: { lines: string[] }, { text }: { text: string }) => {
        if (text === 'strike') state.lines.length = 0;
        else state.lines.push(text);
      },
    },
    commands: {
      ...commands,
      alarm: { in: jsonCodec('Alarm'), out: jsonCodec('Rung'), repeats: 'idempotent', local: true },
    },
    events: { added: { ...(events.added as (typeof events)[string]), forgets: true } },
  };
}

async function staged(t: Pick<TestContext, 'after'>, epoch = 1) {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(epoch, {}, [striking()]);
  return { stage, node };
}

async function add(stage: Stage, node: StageNode, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    const asked = node.runtime.ask('notebook', id, 'add', { text });
    await Promise.all([asked, stage.clock.advance(100)]);
  }
}
const lines = async (node: StageNode) =>
  ((await node.runtime.ask('notebook', id, 'read', {})) as { lines: string[] }).lines;

/** Returns true if any row of the actor's own tables contains the text. */
async function isStored(stage: Stage, text: string): Promise<boolean> {
  const rows = await Promise.all([
    stage.shared.range(journal, { actor, bucket: 0 }, { limit: 5_000 }),
    stage.shared.range(snapshots, { actor }, { limit: 100 }),
    stage.shared.range(snapshotChunks, { actor }, { limit: 100 }),
  ]);
  const bytes = [
    ...rows[0].flatMap(({ value }) => value.events.map(({ payload }) => payload)),
    ...rows[1].map(({ value }) => value.state ?? new Uint8Array()),
    ...rows[2].map(({ value }) => value.bytes),
  ];
  return bytes.some((each) => Buffer.from(each).includes(text));
}

async function waiting(stage: Stage): Promise<{ what: string; atMs: number }[]> {
  const found: { what: string; atMs: number }[] = [];
  const today = alarmDay(stage.clock.nowMs());
  for (let lane = 0; lane < ALARM_LANES; lane++) {
    for (let day = today; day < today + 4; day++) {
      const rows = await stage.shared.range(alarms, { lane, day }, { limit: 10 });
      found.push(...rows.map(({ key, value }) => ({ what: key.what, atMs: value.atMs })));
    }
  }
  return found;
}

function ringing(stage: Stage, { runtime, placement, store, log }: StageNode): Alarms {
  const note = (_fields: object, message: string) => void log.push(message);
  const alarmsOf = new Alarms({
    tables: store.tables,
    asker: runtime,
    placement,
    clock: stage.clock,
    logger: { info: () => undefined, warn: note, error: note },
  });
  alarmsOf.start();
  return alarmsOf;
}

test('deleted data leave journal and snapshots within two days, and the actor keeps its state', async (t) => {
  const { stage, node } = await staged(t);
  t.after(() => rung.close());
  await add(stage, node, SECRET, 'a second line', 'strike', 'a third line');
  assert.ok(await isStored(stage, SECRET));
  const rung = ringing(stage, node);
  await stage.clock.advance(2 * DAY_MS + 60_000);
  assert.equal(await isStored(stage, SECRET), false);
  assert.deepEqual(await waiting(stage), []);
  assert.deepEqual(await lines(node), ['a third line']);
  await add(stage, node, 'a fourth line');
  stage.kill(node);
  const next = await stage.node(2, {}, [striking()]);
  assert.deepEqual(await lines(next), ['a third line', 'a fourth line']);
  assert.deepEqual([node.log, next.log], [[], []]);
});

test('deletions of one day share an alarm', async (t) => {
  const { stage, node } = await staged(t);
  // The actor's own day begins at midnight, when the test begins.
  await stage.clock.advance(3_600_000);
  await add(stage, node, 'one', 'strike', 'two', 'strike');
  const set = await waiting(stage);
  assert.deepEqual(
    set.map(({ what }) => what),
    ['journal'],
  );
});

test('the alarm is one to two days later, and the same for events of one day', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000_000), fc.nat(), (past, number) => {
      const of = makeId(1_767_225_600_000 + number, 1, number % 100);
      const atMs = 1_767_225_600_000 + past;
      const ringMs = forgetAtMs(of, atMs);
      assert.ok(ringMs >= atMs + DAY_MS && ringMs < atMs + 2 * DAY_MS);
      assert.equal(forgetAtMs(of, ringMs - DAY_MS), ringMs);
    }),
  );
});

test('an actor without entries that receives the alarm stays new', async (t) => {
  const { stage, node } = await staged(t);
  await Promise.all([
    node.runtime.ask('notebook', id, 'alarm', { what: 'journal', atMs: 0 }),
    stage.clock.advance(500),
  ]);
  assert.deepEqual(await stage.shared.range(journal, { actor, bucket: 0 }, { limit: 5 }), []);
});

test('a busy actor forgets when it is idle', async (t) => {
  const { stage, node } = await staged(t);
  await add(stage, node, SECRET, 'strike');
  const proceed = node.store.holdWrites(journal);
  const added = node.runtime.ask('notebook', id, 'add', { text: 'new' });
  await stage.clock.settle();
  const forgotten = node.runtime.ask('notebook', id, 'alarm', { what: 'journal', atMs: 0 });
  await stage.clock.advance(1_000);
  assert.ok(await isStored(stage, SECRET));
  proceed();
  await stage.clock.advance(1_000);
  await Promise.all([added, forgotten]);
  assert.equal(await isStored(stage, SECRET), false);
  assert.deepEqual(await lines(node), ['new']);
});

test('the alarm repeats until everything is forgotten, whichever write fails or is the last before a crash', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(14), fc.boolean(), async (writes, dies) => {
      const ends: (() => void)[] = [];
      const { stage, node } = await staged({ after: (end: () => void) => void ends.push(end) } as never);
      await add(stage, node, SECRET, 'strike', 'kept');
      await stage.shared.write([putAlarm(alarmRow(actor, 0, 'journal', stage.clock.nowMs()))]);
      let left = writes;
      node.store.beforeWrite = () => {
        left -= 1;
        if (left >= 0) return undefined;
        if (dies) return new Promise(() => undefined);
        throw new Unavailable('the store did not take it');
      };
      const first = ringing(stage, node);
      await stage.clock.advance(40_000);
      first.close();
      stage.kill(node);
      const next = await stage.node(2, {}, [striking()]);
      const second = ringing(stage, next);
      await stage.clock.advance(600_000);
      assert.equal(await isStored(stage, SECRET), false);
      assert.deepEqual(
        (await waiting(stage)).filter(({ atMs }) => atMs === 0),
        [],
      );
      assert.deepEqual(await lines(next), ['kept']);
      second.close();
      for (const end of ends) end();
    }),
    { numRuns: 40 },
  );
});
