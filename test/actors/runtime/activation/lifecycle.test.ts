import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { crc32 } from 'node:zlib';
import { makeId } from '../../../../actors/domain/ids.js';
import { Unavailable, WriteRefused } from '../../../../actors/domain/problem.js';
import { put } from '../../../../store/port.js';
import { journal, snapshots } from '../../../../store/tables.js';
import { type NotebookKind, notebook, pages } from '../../../kit/actors/notebook.js';
import { Stage, type StageNode } from '../../../kit/actors/stage.js';

const T0 = 1_767_225_600_000;
const id = makeId(T0, 1, 0);
const actor = `notebook/${id}`;
/** Notebooks whose ids come from the lines of other notebooks. */
const minting: NotebookKind = { ...notebook(), minted: true };

const add = (node: StageNode, text: string, to = id) => node.runtime.ask('notebook', to, 'add', { text });
const lines = async (node: StageNode, of = id) =>
  ((await node.runtime.ask('notebook', of, 'read', {})) as { lines: string[] }).lines;
/** Returns a node, and an id that it has minted and whose notebook is empty. */
async function mintedAt(t: TestContext) {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1, { snapshotWorth: 4 }, [minting]);
  await stage.clock.advance(1_000);
  const { id: minted } = (await add(node, 'of the other')) as { id: string };
  return { stage, node, minted };
}
const snapshot = async (stage: Stage) => {
  const [row] = await stage.shared.range(snapshots, { actor }, { reverse: true, limit: 1 });
  return row?.value;
};

test('an idle actor is passivated and activated again unchanged', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  for (const text of ['one', 'two', 'three']) await add(node, text);
  await stage.clock.advance(700_000);
  assert.equal(node.runtime.metrics.activations, 0);
  assert.equal(node.runtime.metrics.passivated, 1);
  assert.equal((await snapshot(stage))?.seq, 3);
  assert.deepEqual(await lines(node), ['one', 'two', 'three']);
  assert.equal(((await add(node, 'four')) as { line: number }).line, 4);
});

test('an actor of few entries is passivated without a snapshot, and activated again unchanged', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1, { snapshotWorth: 4 });
  for (const text of ['one', 'two', 'three']) await add(node, text);
  await stage.clock.advance(700_000);
  assert.equal(node.runtime.metrics.passivated, 1);
  assert.equal(await snapshot(stage), undefined);
  assert.deepEqual(await lines(node), ['one', 'two', 'three']);
  await add(node, 'four');
  await stage.clock.advance(700_000);
  assert.equal((await snapshot(stage))?.seq, 4);
});

test('a new actor with one entry is passivated soon, and activated again without repeated effects', async (t) => {
  const { stage, node, minted } = await mintedAt(t);
  await stage.clock.advance(5_000);
  let shown = 0;
  node.store.beforeWrite = async (rows) => {
    shown += rows.filter(({ table }) => table === pages).length;
  };
  await add(node, 'one', minted);
  assert.equal(node.runtime.metrics.activations, 2);
  await stage.clock.advance(1_000);
  assert.equal(node.runtime.metrics.activations, 1);
  assert.equal(node.runtime.metrics.passivated, 1);
  assert.equal(node.runtime.metrics.unsettled, 0);
  assert.deepEqual(await lines(node, minted), ['one']);
  await stage.clock.advance(60_000);
  assert.equal(shown, 1, 'its effects were recorded as done');
  assert.equal(((await add(node, 'two', minted)) as { line: number }).line, 2);
  await stage.clock.advance(1_000);
  assert.equal(node.runtime.metrics.activations, 2, 'an actor that was activated again is not passivated soon');
});

test('a new actor that gets another command soon stays in memory', async (t) => {
  const { stage, node, minted } = await mintedAt(t);
  await add(node, 'one', minted);
  await add(node, 'two', minted);
  await stage.clock.advance(10_000);
  assert.equal(node.runtime.metrics.activations, 2);
  assert.equal(node.runtime.metrics.unsettled, 0);
  await stage.clock.advance(700_000);
  assert.equal(node.runtime.metrics.activations, 0);
});

test('an actor that a later owner only reads stores a snapshot that can be used', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const first = await stage.node(1, { snapshotWorth: 4 });
  for (const text of ['one', 'two', 'three']) await add(first, text);
  await stage.clock.advance(5_000);
  await first.runtime.release([1], async () => undefined);
  const second = await stage.node(2);
  assert.deepEqual(await lines(second), ['one', 'two', 'three']);
  await stage.clock.advance(700_000);
  assert.equal((await snapshot(stage))?.seq, 3);
  assert.deepEqual(await lines(second), ['one', 'two', 'three']);
  assert.deepEqual(second.log, [], 'the snapshot fits the journal');
});

test('a snapshot of another state version is ignored and the journal replayed', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const old = await stage.node(1);
  await add(old, 'one');
  await old.runtime.release([1], async () => undefined);
  const stored = await snapshot(stage);
  assert.ok(stored);
  assert.equal(stored.stateVersion, 1);
  const { seq, atMs } = stored;
  const other = { ...stored, state: Buffer.from('of another shape') };
  await stage.shared.write([put(snapshots, { actor, seq, atMs }, other)]);
  const renewed = await stage.node(2, {}, [notebook(2)]);
  assert.deepEqual(await lines(renewed), ['one']);
});

/** Returns a kind that marks the lines of migrated snapshots. */
const migrating = (migrate: (from: number, state: { lines: string[] }) => { lines: string[] }): NotebookKind => ({
  ...notebook(3),
  migrate: migrate as NonNullable<NotebookKind['migrate']>,
});

test('a snapshot of an older state version is migrated, and stored again at the passivation', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const old = await stage.node(1);
  await add(old, 'one');
  await old.runtime.release([1], async () => undefined);
  const kind = migrating((from, { lines }) => ({ lines: lines.map((line) => `${line} of version ${from}`) }));
  const renewed = await stage.node(2, {}, [kind]);
  assert.deepEqual(await lines(renewed), ['one of version 1']);
  await stage.clock.advance(700_000);
  assert.deepEqual([(await snapshot(stage))?.seq, (await snapshot(stage))?.stateVersion], [1, 3]);
  assert.deepEqual(await lines(renewed), ['one of version 1']);
  await add(renewed, 'two');
  stage.kill(renewed);
  assert.deepEqual(await lines(await stage.node(3, {}, [kind])), ['one of version 1', 'two']);
});

test('a snapshot whose migration fails, or of a later version, is ignored and the journal replayed', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const old = await stage.node(1);
  await add(old, 'one');
  await old.runtime.release([1], async () => undefined);
  const failing = migrating(() => {
    throw new TypeError('no such shape');
  });
  const renewed = await stage.node(2, {}, [failing]);
  assert.deepEqual(await lines(renewed), ['one']);
  assert.deepEqual(renewed.log, ['ignored a snapshot that cannot be restored']);
  await stage.clock.advance(700_000);
  assert.equal((await snapshot(stage))?.stateVersion, 3);
  const migrated = () => assert.fail('a later version cannot be migrated');
  const before: NotebookKind = { ...notebook(2), migrate: migrated };
  assert.deepEqual(await lines(await stage.node(3, {}, [before])), ['one']);
});

test('a snapshot that cannot be read is ignored and the journal replayed', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const first = await stage.node(1);
  await add(first, 'one');
  await first.runtime.release([1], async () => undefined);
  const stored = await snapshot(stage);
  assert.ok(stored?.state);
  const { seq, atMs, state: whole } = stored;
  for (const state of [Buffer.alloc(0), whole.subarray(1), Buffer.from('{}'), Buffer.from([0xff, 0x10, 0x6f])]) {
    const claims = { bytes: state.length, checksum: crc32(state) };
    await stage.shared.write([put(snapshots, { actor, seq, atMs }, { ...stored, state, ...claims })]);
    const next = await stage.node(1);
    assert.deepEqual(await lines(next), ['one']);
    assert.deepEqual(next.log, ['ignored a snapshot that cannot be restored']);
    stage.kill(next);
  }
});

test('a snapshot of a discarded history is ignored', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const first = await stage.node(1);
  await add(first, 'one');
  await first.runtime.release([1], async () => undefined);
  const [row] = await stage.shared.range(journal, { actor, bucket: 0 }, { limit: 1 });
  assert.ok(row);
  const other = { ...row.value, events: [{ type: 'added', payload: Buffer.from('{"text":"other"}') }] };
  await stage.shared.write([put(journal, { ...row.key, epoch: row.key.epoch * 2 }, other)]);
  const second = await stage.node(3);
  assert.deepEqual(await lines(second), ['other']);
});

test('the least recently used activations are evicted above the limit', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1, { activationsMax: 3 });
  const ids = Array.from({ length: 6 }, (_, index) => makeId(T0, 1, index));
  for (const each of ids) {
    await add(node, 'here', each);
    await stage.clock.advance(2_000);
  }
  assert.ok(node.runtime.metrics.activations <= 3);
  for (const each of ids) assert.deepEqual(await lines(node, each), ['here']);
});

test('one more activation is refused when all are busy', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1, { activationsMax: 2 });
  const proceed = node.store.holdWrites(journal);
  const busy = [0, 1, 2].map((index) => add(node, 'here', makeId(T0, 1, index)));
  await stage.clock.settle();
  await assert.rejects(add(node, 'here', makeId(T0, 1, 9)), Unavailable);
  proceed();
  await Promise.all(busy);
});

test('a bug in a decision fails its caller only, and the next command finds the previous state', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  await add(node, 'one');
  const before = add(node, 'two');
  const torn = assert.rejects(node.runtime.ask('notebook', id, 'tear', {}), (error: Error) => {
    assert.ok(!(error instanceof Unavailable));
    return error.cause instanceof TypeError;
  });
  const behind = add(node, 'three');
  await stage.clock.advance(1_000);
  await Promise.all([before, torn, behind]);
  assert.deepEqual(await lines(node), ['one', 'two', 'three']);
  assert.equal(node.runtime.metrics.crashes, 1);
  assert.deepEqual(node.log, ['failed to handle a command']);
});

test('a failed append is Unavailable, and the actor continues from the journal', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  await add(node, 'one');
  node.store.breakWrites(journal);
  await assert.rejects(add(node, 'lost'), Unavailable);
  node.store.mend();
  assert.deepEqual(await lines(node), ['one']);
  assert.equal(((await add(node, 'two')) as { line: number }).line, 2);
});

test('an actor that was stopped by a failed write can be read while writes fail, with unfinished effects or without', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  await add(node, 'one');
  node.store.beforeWrite = () => {
    throw new WriteRefused('the disk is full');
  };
  await assert.rejects(add(node, 'two'), WriteRefused);
  assert.deepEqual(await lines(node), ['one']);
  node.store.mend();
  assert.equal(((await add(node, 'two')) as { line: number }).line, 2);
});

test("an actor's time and ids ascend when the wall clock goes back", async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  const first = (await add(node, 'one')) as { id: string };
  stage.clock.skewMs = -3_600_000;
  const second = (await add(node, 'two')) as { id: string };
  assert.ok(second.id > first.id);
  const rows = await stage.shared.range(journal, { actor, bucket: 0 }, { limit: 5 });
  assert.equal(rows[1]?.value.atMs, rows[0]?.value.atMs);
});

test('an actor with constant commands stays, while idle ones are passivated', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1, { idleMs: 60_000 });
  await add(node, 'busy');
  await add(node, 'idle', makeId(T0, 1, 1));
  for (let minute = 0; minute < 10; minute++) {
    await stage.clock.advance(20_000);
    await lines(node);
  }
  assert.equal(node.runtime.metrics.activations, 1);
  assert.equal(node.runtime.metrics.passivated, 1);
});
