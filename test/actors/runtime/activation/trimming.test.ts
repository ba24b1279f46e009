import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import { Unavailable } from '../../../../actors/domain/problem.js';
import type { RuntimeLimits } from '../../../../actors/runtime/limits.js';
import { put, remove } from '../../../../store/port.js';
import { backlogFloors, cursors, journal, snapshotChunks, snapshots } from '../../../../store/tables.js';
import { Stage, type StageNode } from '../../../kit/actors/stage.js';
import { fc } from '../../../kit/property.js';

const id = makeId(1_767_225_600_000, 1, 0);
const actor = `notebook/${id}`;
const LIMITS: Partial<RuntimeLimits> = { snapshotEntriesMin: 10, snapshotEntriesMax: 10, trimEntriesMin: 5 };

const staged = (t: TestContext) => {
  const stage = new Stage();
  t.after(() => stage.close());
  return stage;
};

async function add(stage: Stage, node: StageNode, count: number, text = 'line'): Promise<void> {
  for (let n = 0; n < count; n++) {
    const asked = node.runtime.ask('notebook', id, 'add', { text });
    await Promise.all([asked, stage.clock.advance(100)]);
  }
}

async function lines(stage: Stage, node: StageNode): Promise<string[]> {
  const asked = node.runtime.ask('notebook', id, 'read', {});
  const [reply] = await Promise.all([asked, stage.clock.advance(1_000)]);
  return (reply as { lines: string[] }).lines;
}

const entries = async (stage: Stage) =>
  (await stage.shared.range(journal, { actor, bucket: 0 }, { limit: 1_000 })).map((row) => row.key.seq);
const heads = (stage: Stage) => stage.shared.range(snapshots, { actor }, { limit: 100 });

/** Returns an actor of 25 entries, whose journal was trimmed after the snapshot of its 10th. */
async function trimmed(t: TestContext) {
  const stage = staged(t);
  const node = await stage.node(1, LIMITS);
  await add(stage, node, 25);
  return { stage, node };
}

test('the journal before two snapshots is trimmed, and the actor recovers completely', async (t) => {
  const { stage, node } = await trimmed(t);
  assert.deepEqual(
    (await heads(stage)).map((row) => row.key.seq),
    [10, 20],
  );
  assert.deepEqual((await entries(stage)).slice(0, 3), [0, 9, 10], 'the entries that the older snapshot needs stay');
  stage.kill(node);
  const next = await stage.node(2, LIMITS);
  assert.equal((await lines(stage, next)).length, 25);
  await add(stage, next, 15);
  assert.deepEqual((await entries(stage)).slice(0, 2), [0, 29], 'the next owner continues trimming at the same place');
  assert.deepEqual(next.log, []);
});

test('a trimmed actor recovers from the older snapshot alone', async (t) => {
  const { stage, node } = await trimmed(t);
  stage.kill(node);
  const newest = (await heads(stage)).at(-1);
  assert.ok(newest);
  await stage.shared.write([put(snapshots, newest.key, { ...newest.value, checksum: 1 })]);
  const next = await stage.node(2, LIMITS);
  assert.equal((await lines(stage, next)).length, 25);
});

test('a trimmed actor without a readable snapshot logs an error, accepts nothing and writes nothing', async (t) => {
  const { stage, node } = await trimmed(t);
  stage.kill(node);
  const lost = (await heads(stage)).map((row) => remove(snapshots, row.key));
  const all = (await entries(stage)).filter((seq) => seq > 0);
  for (const rows of [lost, all.map((seq) => remove(journal, { actor, bucket: 0, seq, epoch: 4_194_304 }))]) {
    await stage.shared.write(rows);
    const before = await entries(stage);
    const next = await stage.node(1, LIMITS);
    let writes = 0;
    next.store.beforeWrite = (rows) => {
      // The shard's floor says nothing about the actor.
      if (rows.some(({ table }) => table !== backlogFloors)) writes += 1;
    };
    await assert.rejects(next.runtime.ask('notebook', id, 'add', { text: 'first?' }), (error: Error) => {
      assert.ok(!(error instanceof Unavailable));
      return true;
    });
    await assert.rejects(next.runtime.ask('notebook', id, 'read', {}));
    await stage.clock.advance(60_000);
    assert.equal(writes, 0);
    assert.deepEqual(await entries(stage), before);
    assert.ok(next.log.length > 0);
    assert.deepEqual(new Set(next.log), new Set(['failed to activate an actor: no snapshot can be read']));
    stage.kill(next);
  }
  assert.deepEqual(await entries(stage), [0], 'the entries are lost, and yet it is no new actor');
});

test('a snapshot that cannot be read back trims nothing', async (t) => {
  const stage = staged(t);
  const node = await stage.node(1, LIMITS);
  await add(stage, node, 10);
  node.store.afterWrite = async () => {
    for (const { key, value } of await heads(stage))
      if (key.seq > 10) await stage.shared.write([put(snapshots, key, { ...value, bytes: 1 })]);
  };
  await add(stage, node, 15);
  assert.equal((await entries(stage)).length, 25);
  assert.deepEqual(node.log, ['failed to save a snapshot']);
  node.store.mend();
  stage.kill(node);
  assert.equal((await lines(stage, await stage.node(2, LIMITS))).length, 25);
});

test('entries with unfinished effects stay, however many snapshots follow', async (t) => {
  const stage = staged(t);
  const node = await stage.node(1, { ...LIMITS, patienceMs: 50 });
  await add(stage, node, 3);
  node.store.beforeWrite = (rows) => {
    if (rows.some(({ table }) => table.name === 'test_pages')) throw new Unavailable('no pages');
  };
  await add(stage, node, 37);
  assert.equal((await entries(stage)).at(0), 1);
  stage.kill(node);
  const next = await stage.node(2, LIMITS);
  assert.equal((await lines(stage, next)).length, 40);
  await stage.clock.advance(60_000);
  await add(stage, next, 20);
  assert.ok((await entries(stage)).length < 40);
});

test("a former owner's late cursor does not require trimmed entries", async (t) => {
  const { stage, node } = await trimmed(t);
  stage.kill(node);
  await stage.shared.write([put(cursors, { actor }, { beforeReply: 1, afterReply: 1 })]);
  const next = await stage.node(2, LIMITS);
  assert.equal((await lines(stage, next)).length, 25);
  await stage.clock.advance(10_000);
  await add(stage, next, 1);
  assert.deepEqual(next.log, []);
});

test("a former owner's late entries below the trim are not read", async (t) => {
  const { stage, node } = await trimmed(t);
  stage.kill(node);
  const late = { atMs: 1, events: [{ type: 'added', payload: Buffer.from('{"text":"late"}') }], previousFence: 0 };
  for (const seq of [1, 2, 7])
    await stage.shared.write([put(journal, { actor, bucket: 0, seq, epoch: 4_194_304 }, late)]);
  const next = await stage.node(2, LIMITS);
  assert.ok(!(await lines(stage, next)).includes('late'));
  for (const { key } of await heads(stage)) await stage.shared.write([remove(snapshots, key)]);
  stage.kill(next);
  await assert.rejects(lines(stage, await stage.node(3, LIMITS)));
});

test('an actor with snapshots only at passivation is trimmed, too', async (t) => {
  const stage = staged(t);
  const node = await stage.node(1, { trimEntriesMin: 5, snapshotEntriesMin: 1_000, snapshotEntriesMax: 5 });
  for (let visit = 0; visit < 4; visit++) {
    node.store.breakWrites(snapshots);
    await add(stage, node, 6);
    node.store.mend();
    await stage.clock.advance(700_000);
    assert.equal(node.runtime.metrics.activations, 0);
  }
  assert.equal((await entries(stage))[1], 17);
});

/** Crashes: nothing reaches the store after a number of the owner's writes and removals. */
const crashes = fc.array(
  fc.record({ adds: fc.integer({ min: 1, max: 25 }), writes: fc.nat(90), chunked: fc.boolean() }),
  {
    minLength: 1,
    maxLength: 5,
  },
);

test('an actor recovers completely, whichever write of snapshots and trims is the last before a crash', async () => {
  const limits = { ...LIMITS, snapshotEntriesMin: 3, snapshotEntriesMax: 3, trimEntriesMin: 2, patienceMs: 50 };
  await fc.assert(
    fc.asyncProperty(crashes, async (owners) => {
      const stage = new Stage();
      let acknowledged = 0;
      let asked = 0;
      let epoch = 0;
      for (const { adds, writes, chunked } of owners) {
        epoch += 1;
        const node = await stage.node(epoch, limits);
        let left = writes;
        node.store.beforeWrite = () => (left-- > 0 ? undefined : new Promise(() => undefined));
        for (let n = 0; n < adds && left > 0; n++) {
          asked += 1;
          void node.runtime.ask('notebook', id, 'add', { text: chunked ? 'x'.repeat(30_000) : 'line' }).then(
            () => {
              acknowledged += 1;
            },
            () => undefined,
          );
          await stage.clock.advance(100);
        }
        stage.kill(node);
      }
      const last = await stage.node(epoch + 1, limits);
      const found = (await lines(stage, last)).length;
      assert.ok(found >= acknowledged && found <= asked, `${acknowledged} <= ${found} <= ${asked}`);
      await add(stage, last, 20);
      assert.ok((await entries(stage)).length < 15, 'the next trim removes what a crash left');
      const chunks = await stage.shared.range(snapshotChunks, { actor }, { limit: 1_000 });
      const stored = new Set((await heads(stage)).map((row) => row.key.atMs));
      assert.deepEqual(
        chunks.filter(({ key }) => !stored.has(key.atMs)),
        [],
      );
      assert.deepEqual(last.log, []);
      stage.close();
    }),
    { numRuns: 60 },
  );
});
