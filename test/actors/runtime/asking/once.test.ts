import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import { ANSWERED_MS } from '../../../../actors/runtime/limits.js';
import { journal, snapshots } from '../../../../store/tables.js';
import { STAGE_SHARDS, Stage, type StageNode } from '../../../kit/actors/stage.js';

const id = makeId(1_767_225_600_000, 1, 0);
const ask = (node: StageNode, command: string, input: object, key?: string) =>
  node.runtime.ask('notebook', id, command, input, key);
const add = (node: StageNode, text: string, key?: string) => ask(node, 'add', { text }, key);
const lines = async (node: StageNode) => ((await ask(node, 'read', {})) as { lines: string[] }).lines;

test('a repeated key gets the first reply and records nothing, whatever its input', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  const first = await add(node, 'one', 'k');
  assert.deepEqual(await add(node, 'another', 'k'), first);
  assert.deepEqual(await lines(node), ['one']);
  assert.equal(node.runtime.metrics.repeats, 1);
  assert.notDeepEqual(await add(node, 'two', 'other'), first);
  assert.notDeepEqual(await add(node, 'three'), first);
});

test('two concurrent commands with one key are carried out once', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  const [first, second] = await Promise.all([add(node, 'one', 'k'), add(node, 'one', 'k')]);
  assert.deepEqual(second, first);
  assert.deepEqual(await lines(node), ['one']);
});

test('a key is valid for one command, and expires after an hour', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  await add(node, 'one', 'k');
  assert.deepEqual(await ask(node, 'addOnce', { text: 'two' }, 'k'), { line: 2 });
  await stage.clock.advance(ANSWERED_MS);
  await add(node, 'three', 'k');
  assert.deepEqual(await lines(node), ['one', 'two', 'three']);
});

test('a key is valid for its hour when the wall clock steps ahead and back, also after a takeover', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  const first = await add(node, 'one', 'k');
  stage.clock.skewMs += 2 * ANSWERED_MS;
  assert.deepEqual(await add(node, 'two', 'k'), first);
  await add(node, 'ahead', 'another');
  stage.clock.skewMs -= 2 * ANSWERED_MS;
  assert.deepEqual(await add(node, 'three', 'k'), first);
  await node.runtime.release(STAGE_SHARDS, async () => undefined);
  const second = await stage.node(2);
  assert.deepEqual(await add(second, 'four', 'k'), first);
  await stage.clock.advance(ANSWERED_MS);
  await add(second, 'five', 'k');
  assert.deepEqual(await lines(second), ['one', 'ahead', 'five']);
});

test('a key stays valid when the wall clock steps ahead before a node that stores steady time starts again', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  const steadyMs = stage.clock.nowMs();
  const first = await add(node, 'one', 'k');
  stage.kill(node);
  stage.clock.skewMs += 2 * ANSWERED_MS;
  const again = await stage.node(undefined);
  const startedMs = stage.clock.monotonicMs();
  again.placement.epoch = 2;
  again.placement.steadyMs = () => steadyMs + stage.clock.monotonicMs() - startedMs;
  await again.runtime.acquire(STAGE_SHARDS);
  assert.deepEqual(await add(again, 'two', 'k'), first);
  await stage.clock.advance(ANSWERED_MS);
  await add(again, 'three', 'k');
  assert.deepEqual(await lines(again), ['one', 'three']);
});

test('refusals, and replies without events, are not stored', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  const refused = (await ask(node, 'erase', {}, 'k')) as { problem: string };
  assert.equal(refused.problem, 'forbidden');
  await add(node, 'same');
  await ask(node, 'addOnce', { text: 'same' }, 'k');
  assert.deepEqual(await ask(node, 'addOnce', { text: 'other' }, 'k'), { line: 2 });
  assert.equal(node.runtime.metrics.repeats, 0);
});

test('an entry carries key and reply, and has no additional field without a key', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  await add(node, 'one');
  const reply = await add(node, 'two', 'k');
  const rows = await stage.shared.range(journal, { actor: `notebook/${id}`, bucket: 0 }, { limit: 5 });
  assert.deepEqual(
    rows.map(({ value }) => value.answered?.key),
    [undefined, 'add k'],
  );
  assert.deepEqual(JSON.parse(Buffer.from(rows[1]?.value.answered?.reply ?? []).toString()), reply);
  assert.ok(!('answered' in (rows[0]?.value ?? {})));
});

/** Has the owner store the command and die before it replies. Another owner takes over. */
async function killedBehindWrite(t: TestContext, command: 'add' | 'note', key?: string) {
  const stage = new Stage();
  t.after(() => stage.close());
  const first = await stage.node(1);
  const client = await stage.node(undefined);
  await ask(client, command, { text: 'before' });
  first.store.afterWrite = () => new Promise(() => undefined);
  const underWay = ask(client, command, { text: 'one' }, key);
  // The test examines the rejection later.
  underWay.catch(() => undefined);
  await stage.clock.settle();
  stage.kill(first);
  return { client, underWay, second: await stage.node(2), clock: stage.clock };
}

test('a kill -9 after the write and before the reply: the next owner sends the same reply', async (t) => {
  const { client, underWay, second, clock } = await killedBehindWrite(t, 'add', 'k');
  await clock.advance(5_000);
  const reply = (await underWay) as { line: number };
  assert.equal(reply.line, 2);
  assert.deepEqual(await add(client, 'one', 'k'), reply);
  assert.deepEqual(await lines(second), ['before', 'one']);
});

test('a command without a key that is not repeatable has an unknown outcome then', async (t) => {
  const { underWay, second, clock } = await killedBehindWrite(t, 'add');
  const doubt = assert.rejects(underWay);
  await clock.advance(15_000);
  await doubt;
  assert.deepEqual(await lines(second), ['before', 'one']);
});

test('a caller adds a key to a command that is not repeatable, here or elsewhere', async (t) => {
  const { underWay, second, clock } = await killedBehindWrite(t, 'note');
  await clock.advance(5_000);
  assert.deepEqual(await underWay, { line: 2 });
  assert.deepEqual(await lines(second), ['before', 'one']);
});

test('a node that loses the shard after its own write sends the command to the next owner, and it is done once', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const first = await stage.node(1);
  const proceed = first.store.holdWrites(journal);
  const underWay = ask(first, 'note', { text: 'one' });
  await stage.clock.settle();
  first.store.afterWrite = () => {
    first.placement.epoch = undefined;
  };
  proceed();
  await stage.clock.settle();
  const second = await stage.node(2);
  await stage.clock.advance(5_000);
  assert.deepEqual(await underWay, { line: 1 });
  assert.deepEqual(await lines(second), ['one']);
});

test('keys are part of a handover and of the snapshot', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const giver = await stage.node(1);
  const reply = await add(giver, 'one', 'k');
  const taker = await stage.node(undefined);
  await giver.runtime.release(STAGE_SHARDS, async (chunk) => taker.runtime.prime(chunk));
  giver.placement.epoch = undefined;
  taker.placement.epoch = 2;
  await taker.runtime.acquire(STAGE_SHARDS);
  await stage.clock.settle();
  assert.deepEqual(await add(taker, 'again', 'k'), reply);
  assert.deepEqual(await lines(taker), ['one']);

  // The stored snapshot suffices: no entry after it is replayed.
  const [stored] = await stage.shared.range(snapshots, { actor: `notebook/${id}` }, { limit: 1 });
  assert.equal(stored?.key.seq, 1);
  stage.kill(taker);
  const third = await stage.node(3);
  assert.deepEqual(await add(third, 'again', 'k'), reply);
  assert.deepEqual(await lines(third), ['one']);
});
