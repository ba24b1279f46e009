import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import { Unavailable } from '../../../../actors/domain/problem.js';
import { encodeCommand, openReply, readReply } from '../../../../actors/runtime/asking/wire.js';
import { backlog, cursors, journal } from '../../../../store/tables.js';
import { actorSubject } from '../../../../transport/bus.js';
import { notebook, pages } from '../../../kit/actors/notebook.js';
import { Stage, type StageNode } from '../../../kit/actors/stage.js';

const alice = makeId(1_767_225_600_000, 1, 0);
const bob = makeId(1_767_225_600_000, 2, 0);

const lines = async ({ runtime }: StageNode, id: string) =>
  ((await runtime.ask('notebook', id, 'read', {})) as { lines: string[] }).lines;
const page = (stage: Stage, line: number) => stage.shared.get(pages, { notebook: alice, line });
const cursor = (stage: Stage) => stage.shared.get(cursors, { actor: `notebook/${alice}` });
/** Returns the keys of backlog rows without the time at their beginning. */
const backlogOf = async (stage: Stage, shard: number) =>
  (await stage.shared.range(backlog, { shard }, { limit: 10 })).map((row) => row.key.actor.replace(/^\d+ /, ''));

test('the reply comes after the before-reply effects', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime } = await stage.node(1);
  await runtime.ask('notebook', alice, 'add', { text: 'hello', shareWith: bob });
  assert.deepEqual(await page(stage, 1), { text: 'hello' });
  assert.deepEqual(await runtime.ask('notebook', bob, 'read', {}), { lines: ['shared hello'] });
});

test('a reply waits for stuck effects up to its patience, and they are carried out later', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime, store } = await stage.node(1);
  store.breakWrites(pages);
  const reply = runtime.ask('notebook', alice, 'add', { text: 'hello' });
  await stage.clock.advance(5_200);
  assert.equal(((await reply) as { line: number }).line, 1);
  store.mend();
  await stage.clock.advance(6_000);
  assert.deepEqual(await page(stage, 1), { text: 'hello' });
});

test('overlapping effects do not wait for one another, and those to one actor arrive in order', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const carol = makeId(1_767_225_600_000, 3, 0);
  const { runtime, store } = await stage.node(1);
  const proceed = store.holdWrites(journal);
  const add = (text: string, shareWith: string) => runtime.ask('notebook', alice, 'add', { text, shareWith });
  const asked = [
    add('first', bob),
    add('beside 2', bob),
    add('beside 3', carol),
    add('beside 4', bob),
    add('last', bob),
  ];
  await stage.clock.settle();
  proceed();
  await Promise.all(asked);
  assert.deepEqual(await lines({ runtime } as StageNode, bob), [
    'shared first',
    'shared beside 2',
    'shared beside 4',
    'shared last',
  ]);
  assert.deepEqual(await lines({ runtime } as StageNode, carol), ['shared beside 3']);
  assert.deepEqual((await cursor(stage)) ?? (await stage.clock.advance(10_000).then(() => cursor(stage))), {
    beforeReply: 5,
    afterReply: 5,
  });
});

test('rows of overlapping effects share a write while the one before is under way', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime, store } = await stage.node(1);
  const proceed = store.holdWrites(journal);
  const writes: number[] = [];
  const asked = ['first', 'beside 2', 'beside 3', 'beside 4'].map((text) =>
    runtime.ask('notebook', alice, 'add', { text }),
  );
  await stage.clock.settle();
  store.beforeWrite = (rows) => {
    const count = rows.filter((row) => 'line' in row.key).length;
    if (count > 0) writes.push(count);
  };
  proceed();
  await Promise.all(asked);
  assert.deepEqual(writes, [1, 3]);
  assert.deepEqual(await page(stage, 4), { text: 'beside 4' });
});

test('an effect that is done before its reply has no backlog row', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime } = await stage.node(1);
  await runtime.ask('notebook', alice, 'add', { text: 'hello', shareWith: bob });
  for (let n = 0; n < 120; n++) await runtime.ask('notebook', alice, 'add', { text: 'again', shareWith: bob });
  assert.equal((await lines({ runtime } as StageNode, bob)).length, 121);
  assert.equal((await backlogOf(stage, 1)).length, 1);
  assert.deepEqual(await backlogOf(stage, 2), []);
  await stage.clock.advance(10_000);
  assert.equal(runtime.metrics.unsettled, 0);
});

test('an effect whose own effects outlast its reply has a backlog row before the reply', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime, store } = await stage.node(1);
  store.beforeWrite = (rows) => {
    if (rows.some(({ key }) => key.notebook === bob)) throw new TypeError('a bug in the rows of bob');
  };
  const asked = runtime.ask('notebook', alice, 'add', { text: 'hello', shareWith: bob });
  await stage.clock.advance(3_000);
  assert.deepEqual(await backlogOf(stage, 2), []);
  await stage.clock.advance(3_000);
  assert.equal((await backlogOf(stage, 2)).length, 1);
  store.mend();
  await stage.clock.advance(10_000);
  await asked;
  assert.deepEqual(await backlogOf(stage, 2), []);
});

test('a stuck effect delays later ones only if they may not overlap', async (t) => {
  for (const [word, heard] of [
    ['beside', ['shared beside 3']],
    ['behind', []],
  ] as const) {
    const stage = new Stage();
    t.after(() => stage.close());
    const carol = makeId(1_767_225_600_000, 3, 0);
    const { runtime, store } = await stage.node(1);
    store.beforeWrite = (rows) => {
      if (rows.some(({ key }) => key.actor === `notebook/${bob}`)) throw new Unavailable('nothing of bob');
    };
    const add = (text: string, shareWith?: string) =>
      runtime.ask('notebook', alice, 'add', { text, ...(shareWith && { shareWith }) });
    const asked = [add('first'), add(`${word} 2`, bob), add(`${word} 3`, carol)];
    await stage.clock.settle();
    assert.deepEqual(await lines({ runtime } as StageNode, carol), heard);
    store.mend();
    await stage.clock.advance(1_000);
    await Promise.all(asked);
    assert.deepEqual(await lines({ runtime } as StageNode, bob), [`shared ${word} 2`]);
    assert.deepEqual(await lines({ runtime } as StageNode, carol), [`shared ${word} 3`]);
  }
});

test('rows that were lost with a killed process are written by its successor before it has caught up', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const first = await stage.node(1);
  first.store.losesDeferred = true;
  for (const text of ['one', 'two']) await first.runtime.ask('notebook', alice, 'add', { text, shareWith: bob });
  stage.kill(first);
  assert.equal(await page(stage, 1), undefined);
  const second = await stage.node(undefined);
  second.placement.epoch = 2;
  await second.runtime.acquire([0, 1, 2, 3]);
  await second.runtime.caughtUp();
  assert.deepEqual([await page(stage, 1), await page(stage, 2)], [{ text: 'one' }, { text: 'two' }]);
  assert.deepEqual(await lines(second, bob), ['shared one', 'shared two']);
});

test('a repeated effect reaches its receiver once', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const first = await stage.node(1);
  await first.runtime.ask('notebook', alice, 'add', { text: 'one', copyTo: bob });
  await first.runtime.ask('notebook', alice, 'add', { text: 'two', copyTo: bob });
  await stage.clock.settle();
  assert.deepEqual(await lines(first, bob), ['copy of one', 'copy of two']);
  assert.equal(await cursor(stage), undefined);
  stage.kill(first);
  const second = await stage.node(2);
  await stage.clock.advance(1_000);
  assert.deepEqual(await lines(second, bob), ['copy of one', 'copy of two']);
  assert.equal(second.runtime.metrics.repeats, 2);
});

test('a receiver deduplicates effects after another activation', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1, { idleMs: 60_000, quietMs: 3_600_000 });
  await node.runtime.ask('notebook', alice, 'add', { text: 'one', copyTo: bob });
  await stage.clock.advance(600_000);
  assert.equal(node.runtime.metrics.activations, 0);
  const cause = { actor: `notebook/${alice}#after`, seq: 1, n: 0 };
  const again = {
    kind: 'notebook',
    id: bob,
    command: 'add',
    input: { text: 'copy of one' },
    cause,
    idempotencyKey: undefined,
  };
  await stage.bus('elsewhere').request(actorSubject(2), encodeCommand(notebook(), again, 1_000), 1_000);
  assert.equal(node.runtime.metrics.repeats, 1);
  assert.deepEqual(await lines(node, bob), ['copy of one']);
});

test('a query in a repeated effect is answered again', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  await node.runtime.ask('notebook', bob, 'add', { text: 'hello' });
  const ask = async (seq: number, n: number, command: string, input: object) => {
    const cause = { actor: `notebook/${alice}#before`, seq, n };
    const bytes = encodeCommand(
      notebook(),
      { kind: 'notebook', id: bob, command, input, cause, idempotencyKey: undefined },
      1_000,
    );
    const reply = await stage.bus('elsewhere').request(actorSubject(2), bytes, 1_000);
    return readReply(notebook(), command, openReply(reply));
  };
  assert.deepEqual(await ask(1, 0, 'read', {}), { lines: ['hello'] });
  assert.deepEqual(await ask(1, 0, 'read', {}), { lines: ['hello'] });
  await ask(2, 1, 'add', { text: 'later' });
  assert.deepEqual(await ask(2, 0, 'read', {}), { lines: ['hello', 'later'] }, 'including later entries');
  await ask(2, 1, 'add', { text: 'later' });
  assert.deepEqual(await lines(node, bob), ['hello', 'later'], 'a command that records something is carried out once');
});

test('the next owner carries out effects of an event whose node died, without a command', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const first = await stage.node(1);
  first.store.holdWrites(pages);
  const lost = first.runtime.ask('notebook', alice, 'add', { text: 'hello', copyTo: bob }).catch(() => 'no answer');
  await stage.clock.settle();
  assert.deepEqual(await backlogOf(stage, 1), [`notebook/${alice}@1.1`]);
  stage.kill(first);
  assert.equal(await lost, 'no answer');
  assert.equal(await page(stage, 1), undefined);
  const second = await stage.node(2);
  await stage.clock.advance(100);
  assert.deepEqual(await page(stage, 1), { text: 'hello' });
  assert.deepEqual(await lines(second, bob), ['copy of hello']);
});

test('a cursor is saved only after effects are done, and then the backlog is empty', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime, store } = await stage.node(1);
  await runtime.ask('notebook', alice, 'add', { text: 'one' });
  await stage.clock.advance(10_000);
  assert.deepEqual(await cursor(stage), { beforeReply: 1, afterReply: 1 });
  assert.deepEqual(await backlogOf(stage, 1), []);
  const proceed = store.holdWrites(pages);
  const reply = runtime.ask('notebook', alice, 'add', { text: 'two' });
  await stage.clock.advance(30_000);
  await reply;
  assert.deepEqual(await cursor(stage), { beforeReply: 1, afterReply: 1 });
  assert.deepEqual(await backlogOf(stage, 1), [`notebook/${alice}@2.1`]);
  proceed();
  await stage.clock.advance(10_000);
  assert.deepEqual(await cursor(stage), { beforeReply: 2, afterReply: 2 });
  assert.deepEqual(await backlogOf(stage, 1), []);
});

test('effects that do not fit in memory are read from the journal, in order', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1, { laneQueueMax: 2, patienceMs: 100 });
  const proceed = node.store.holdWrites(pages);
  const texts = Array.from({ length: 20 }, (_, index) => `${index}`);
  const replies = texts.map((text) => node.runtime.ask('notebook', alice, 'add', { text, copyTo: bob }));
  await stage.clock.advance(1_000);
  await Promise.all(replies);
  proceed();
  await stage.clock.advance(1_000);
  assert.deepEqual(await page(stage, 20), { text: '19' });
  assert.deepEqual(
    (await lines(node, bob)).filter((line) => line.startsWith('copy')),
    texts.map((text) => `copy of ${text}`),
  );
});

test('two actors that send each other commands before their replies do not deadlock', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime } = await stage.node(1);
  const started = stage.clock.monotonicMs();
  const both = Promise.all([
    runtime.ask('notebook', alice, 'add', { text: 'from alice', shareWith: bob }),
    runtime.ask('notebook', bob, 'add', { text: 'from bob', shareWith: alice }),
    runtime.ask('notebook', alice, 'add', { text: 'to myself', shareWith: alice }),
  ]);
  await both;
  assert.equal(stage.clock.monotonicMs(), started);
});

/** Actors that each share their lines with the next one, and the last with the first. */
const CIRCLE = Array.from({ length: 5 }, (_, n) => makeId(1_767_225_600_000, n % 4, n));

/** Writes to all of them, equally often. Returns a function that returns the number of replies. */
function writtenByAll({ runtime }: StageNode, times: number): () => number {
  let answered = 0;
  for (let time = 0; time < times; time++) {
    for (const [place, id] of CIRCLE.entries()) {
      const shareWith = CIRCLE[(place + 1) % CIRCLE.length] ?? '';
      const asked = runtime.ask('notebook', id, 'add', { text: `${time} from ${place}`, shareWith });
      void asked.then(
        () => (answered += 1),
        () => undefined,
      );
    }
  }
  return () => answered;
}

test('actors that send commands in a circle before their replies do not deadlock', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const answered = writtenByAll(await stage.node(1), 1);
  await stage.clock.settle();
  assert.deepEqual([answered(), stage.clock.monotonicMs()], [CIRCLE.length, 0]);
});

test('a circle that closes behind waiting effects does not deadlock either', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  const proceed = node.store.holdWrites(pages);
  const answered = writtenByAll(node, 3);
  await stage.clock.settle();
  assert.equal(answered(), 0);
  proceed();
  await stage.clock.settle();
  assert.deepEqual([answered(), stage.clock.monotonicMs()], [3 * CIRCLE.length, 0]);
});

test('the effects of actors in a circle continue at once after kill -9', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const first = await stage.node(1);
  first.store.holdWrites(pages);
  writtenByAll(first, 2);
  await stage.clock.settle();
  stage.kill(first);
  const second = await stage.node(2);
  let caughtUp = false;
  void second.runtime.caughtUp().then(() => {
    caughtUp = true;
  });
  await stage.clock.settle();
  assert.deepEqual([caughtUp, stage.clock.monotonicMs()], [true, 0]);
  for (const [place] of CIRCLE.entries()) {
    const heard = await lines(second, CIRCLE[(place + 1) % CIRCLE.length] ?? '');
    for (const time of [0, 1]) assert.ok(heard.includes(`shared ${time} from ${place}`));
  }
});

test("an effect's reply follows its own effects, unless its actor waits for another before", async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const carol = makeId(1_767_225_600_000, 3, 0);
  const { runtime, store } = await stage.node(1);
  const held: (() => void)[] = [];
  store.beforeWrite = (rows) =>
    rows.some(({ table, key }) => table.name === pages.name && key.notebook !== alice)
      ? new Promise((resolve) => void held.push(resolve))
      : undefined;
  let answered = 0;
  const share = (text: string) =>
    void runtime.ask('notebook', alice, 'add', { text, shareWith: bob }).then(
      () => (answered += 1),
      () => undefined,
    );
  share('first');
  await stage.clock.settle();
  assert.equal(answered, 0, 'bob’s page is not written');
  held.shift()?.();
  await stage.clock.settle();
  assert.equal(answered, 1);
  const own = runtime.ask('notebook', bob, 'add', { text: 'from bob', shareWith: carol }).catch(() => undefined);
  await stage.clock.settle();
  held.shift()?.();
  await stage.clock.settle();
  share('second');
  await stage.clock.settle();
  assert.equal(answered, 2, 'bob waits for carol');
  assert.equal((await backlogOf(stage, 2)).length, 1, 'a backlog row stands for his effects');
  store.mend();
  for (const proceed of held) proceed();
  await own;
});

test('a command to an actor without an owner is retried until there is one', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1);
  await node.runtime.release([2], async () => undefined);
  await node.runtime.ask('notebook', alice, 'add', { text: 'hello', copyTo: bob });
  await stage.clock.advance(60_000);
  assert.equal((await stage.shared.range(journal, { actor: `notebook/${bob}`, bucket: 0 }, { limit: 1 })).length, 0);
  await node.runtime.acquire([2]);
  await stage.clock.advance(10_000);
  assert.deepEqual(await lines(node, bob), ['copy of hello']);
});
