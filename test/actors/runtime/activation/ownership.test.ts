import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idMs, idShard, makeId } from '../../../../actors/domain/ids.js';
import { Unavailable } from '../../../../actors/domain/problem.js';
import { LOOK_MS } from '../../../../actors/runtime/asking/until-moved.js';
import { encodeCommand, openReply, readReply } from '../../../../actors/runtime/asking/wire.js';
import type { NodeHandoffChunk } from '../../../../proto/gen/types.js';
import { backlog, journal } from '../../../../store/tables.js';
import { actorSubject } from '../../../../transport/bus.js';
import { notebook, pages } from '../../../kit/actors/notebook.js';
import { STAGE_SHARDS, Stage, type StageNode } from '../../../kit/actors/stage.js';

const T0 = 1_767_225_600_000;
const id = makeId(T0, 1, 0);
const add = (node: StageNode, text: string) => node.runtime.ask('notebook', id, 'add', { text });
const lines = async (node: StageNode) =>
  ((await node.runtime.ask('notebook', id, 'read', {})) as { lines: string[] }).lines;

test('an actor is reached wherever it lives, with the same replies, refusals and failures', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const owner = await stage.node(1, { mailboxMax: 1 });
  const caller = await stage.node(undefined);
  const reply = (await add(caller, 'from afar')) as { line: number };
  assert.equal(reply.line, 1);
  assert.deepEqual(await lines(owner), ['from afar']);
  assert.deepEqual(await caller.runtime.ask('notebook', id, 'erase', {}), {
    problem: 'forbidden',
    detail: 'Ink stays',
    fields: { page: [{ error: 'ERR_INVALID', description: 'is ink' }] },
  });
  await assert.rejects(caller.runtime.ask('notebook', id, 'tear', {}), (error) => !(error instanceof Unavailable));
  // Recovering from the fault writes, too. Only the writes after it are held.
  assert.deepEqual(await lines(owner), ['from afar']);
  const proceed = owner.store.holdWrites(journal);
  const taken = [add(caller, 'one')];
  await stage.clock.settle();
  taken.push(add(caller, 'two'));
  await stage.clock.settle();
  await assert.rejects(add(caller, 'three'), Unavailable);
  proceed();
  await Promise.all(taken);
});

test('a stored command whose shard was lost meanwhile is not acknowledged', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  await add(node, 'one');
  const proceed = node.store.holdWrites(journal);
  const doubtful = assert.rejects(add(node, 'two'), Unavailable);
  await stage.clock.settle();
  node.placement.epoch = undefined;
  proceed();
  await doubtful;
  assert.equal(await stage.shared.get(pages, { notebook: id, line: 2 }), undefined);
});

test('a node mints ids of its own shards only', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  const wanted = [...STAGE_SHARDS, ...STAGE_SHARDS];
  const ids = wanted.map((shard) => node.runtime.mintId(shard) ?? '');
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(
    ids.map((minted) => idShard(minted)),
    wanted,
  );
  assert.equal(node.runtime.mintId(STAGE_SHARDS.length), undefined);
  node.placement.epoch = undefined;
  assert.equal(node.runtime.mintId(0), undefined);
});

test('a node whose lease has expired does not answer queries', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  await add(node, 'one');
  node.placement.epoch = undefined;
  const refused = assert.rejects(lines(node), Unavailable);
  await stage.clock.advance(15_000);
  await refused;
});

test('a caller finds the new owner while an actor moves, and no command is lost', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const giver = await stage.node(1);
  const taker = await stage.node(undefined);
  const caller = await stage.node(undefined);
  await add(caller, 'before');
  const chunks: NodeHandoffChunk[] = [];
  const during = Array.from({ length: 20 }, (_, index) => add(caller, `during ${index}`));
  const released = giver.runtime.release(STAGE_SHARDS, async (chunk) => void chunks.push(chunk));
  during.push(add(giver, 'from the giver'));
  await stage.clock.advance(50);
  await released;
  giver.placement.epoch = undefined;
  assert.equal(giver.runtime.metrics.activations, 0);
  assert.deepEqual(
    chunks.map((chunk) => chunk.actor),
    [`notebook/${id}`],
  );
  for (const chunk of chunks) taker.runtime.prime(chunk);
  taker.placement.epoch = 2;
  await taker.runtime.acquire(STAGE_SHARDS);
  await stage.clock.advance(2_000);
  await Promise.all(during);
  assert.equal((await lines(taker)).length, 22);
});

test('a request to a dead owner is abandoned when its shard has another', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  let asked = 0;
  await stage.bus('gone').serve(actorSubject(1, 1), () => {
    asked += 1;
    return new Promise(() => undefined);
  });
  const [taker, caller] = [await stage.node(undefined), await stage.node(undefined)];
  caller.placement.owner = 1;
  const early = caller.runtime.ask('notebook', id, 'note', { text: 'one' });
  await stage.clock.settle();
  assert.equal(asked, 1);
  Object.assign(taker.placement, { epoch: 2, owner: 2 });
  await taker.runtime.acquire(STAGE_SHARDS);
  caller.placement.owner = 2;
  await add(caller, 'two');
  assert.deepEqual(await lines(caller), ['two']);
  // The request to the old owner does not wait for its timeout.
  await stage.clock.advance(3 * LOOK_MS);
  await early;
  assert.deepEqual(await lines(caller), ['two', 'one']);
  assert.equal(asked, 1);
});

test('a request to an owner that releases the shard waits until its last reply can have arrived', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const [owner, caller] = [await stage.node(1), await stage.node(undefined)];
  Object.assign(owner.placement, { owner: 1 });
  caller.placement.owner = 1;
  await owner.runtime.acquire(STAGE_SHARDS);
  const proceed = owner.store.holdWrites(journal);
  const noted = caller.runtime.ask('notebook', id, 'note', { text: 'one' });
  await stage.clock.settle();
  caller.placement.owner = 2;
  await stage.clock.advance(LOOK_MS);
  proceed();
  assert.deepEqual(await noted, { line: 1 });
  assert.equal(caller.runtime.metrics.remoteAsks, 1);
});

test('a caller that does not know the new owner yet still finds it', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const [taker, caller] = [await stage.node(undefined), await stage.node(undefined)];
  Object.assign(taker.placement, { epoch: 2, owner: 2 });
  await taker.runtime.acquire(STAGE_SHARDS);
  caller.placement.owner = 1;
  await add(caller, 'one');
  assert.deepEqual(await lines(taker), ['one']);
});

test('a short outage of the bus is waited for, and a long one is not', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const caller = await stage.node(undefined);
  caller.bus.downMs = () => 4_000;
  let refused = 0;
  const early = add(caller, 'one').catch((error: unknown) => {
    assert.ok(error instanceof Unavailable);
    refused += 1;
  });
  await stage.clock.advance(2_000);
  assert.equal(refused, 0);
  caller.bus.downMs = () => 6_000;
  await stage.clock.advance(1_000);
  assert.equal(refused, 1);
  await early;
  await assert.rejects(add(caller, 'two'), Unavailable);
});

test('a released actor leaves stuck effects to the next owner, and answers its callers', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const giver = await stage.node(1);
  giver.store.breakWrites(pages);
  const reply = add(giver, 'one');
  await stage.clock.settle();
  const released = giver.runtime.release([1], async () => undefined);
  await stage.clock.advance(1_500);
  await released;
  assert.equal(((await reply) as { line: number }).line, 1);
  assert.equal((await stage.shared.range(backlog, { shard: 1 }, { limit: 5 })).length, 1);
  giver.placement.epoch = undefined;
  await stage.node(2);
  await stage.clock.advance(100);
  assert.deepEqual(await stage.shared.get(pages, { notebook: id, line: 1 }), { text: 'one' });
});

test('an abandoned shard acknowledges nothing, and its actors end at once', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  const proceed = node.store.holdWrites(journal);
  const refused = assert.rejects(add(node, 'one'), Unavailable);
  await stage.clock.settle();
  node.runtime.abandon(STAGE_SHARDS);
  await refused;
  assert.equal(node.runtime.metrics.activations, 0);
  proceed();
});

test('the later epoch wins when an actor has two owners, and the earlier owner stops', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const old = await stage.node(1);
  await add(old, 'one');
  const young = await stage.node(2);
  await add(young, 'two');
  await add(old, 'stale');
  await young.runtime.release(STAGE_SHARDS, async () => undefined);
  const third = await stage.node(3);
  assert.deepEqual(await lines(third), ['one', 'two']);
});

test('new ids are above the floor that earlier owners leave', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  node.placement.floorMs = T0 + 60_000;
  const reply = (await add(node, 'one')) as { id: string };
  assert.ok(idMs(reply.id) > T0 + 60_000);
});

test('bytes that are no command are refused and counted', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  await stage.bus('attacker').request(actorSubject(1), Buffer.from([0xff, 0x00, 0x13]), 1_000);
  assert.equal(node.runtime.metrics.malformed, 1);
});

test('a command whose reply was lost is sent again only if it is repeatable', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const caller = await stage.node(undefined);
  let requests = 0;
  const silent = await stage.bus('silent').serve(actorSubject(1), () => {
    requests += 1;
    return new Promise(() => undefined);
  });
  const refused = assert.rejects(add(caller, 'once'), Unavailable);
  await stage.clock.advance(11_000);
  await refused;
  assert.equal(requests, 1);
  const reading = lines(caller);
  await stage.clock.advance(4_000);
  assert.equal(requests, 3);
  await silent.close();
  const owner = await stage.node(1);
  await stage.clock.advance(4_000);
  assert.deepEqual(await reading, []);
  assert.deepEqual(await lines(owner), []);
});

test('a command with an idempotency key is carried out once, although its reply is late and it is sent again', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const owner = await stage.node(1);
  const caller = await stage.node(undefined);
  const proceed = owner.store.holdWrites(journal);
  const noted = caller.runtime.ask('notebook', id, 'note', { text: 'one' });
  await stage.clock.advance(8_000);
  assert.ok(caller.runtime.metrics.remoteAsks > 1, 'the command was sent again');
  proceed();
  assert.deepEqual(await noted, { line: 1 });
  assert.deepEqual(
    await caller.runtime.ask('notebook', id, 'note', { text: 'one' }),
    { line: 2 },
    'another key is another command',
  );
  await stage.clock.settle();
  assert.deepEqual(await lines(owner), ['one', 'one']);
});

/** Sends one attempt of another node's command, which may be repeated with the same key. */
async function attempt(stage: Stage, once: string): Promise<unknown> {
  const message = {
    kind: 'notebook',
    id,
    command: 'note',
    input: { text: 'one' },
    cause: undefined,
    idempotencyKey: once,
  };
  const bytes = encodeCommand(notebook(), message, 5_000);
  const reply = await stage.bus('elsewhere').request(actorSubject(1), bytes, 5_000);
  return readReply(notebook(), 'note', openReply(reply));
}

test('a failure is not stored: a repeat has the command carried out', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const owner = await stage.node(1);
  owner.store.breakWrites(journal);
  await assert.rejects(attempt(stage, 'r1'), Unavailable);
  owner.store.mend();
  assert.deepEqual(await attempt(stage, 'r1'), { line: 1 });
  assert.deepEqual(await lines(owner), ['one']);
});
