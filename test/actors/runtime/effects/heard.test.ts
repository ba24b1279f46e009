import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import { Unavailable } from '../../../../actors/domain/problem.js';
import { journal } from '../../../../store/tables.js';
import { type NotebookKind, notebook, pages } from '../../../kit/actors/notebook.js';
import { Stage } from '../../../kit/actors/stage.js';

const alice = makeId(1_767_225_600_000, 1, 0);
const bob = makeId(1_767_225_600_000, 2, 0);

/** A notebook whose events every node must have received, with a barrier that the test resolves. */
function invalidating(): NotebookKind {
  const kind = notebook();
  return { ...kind, events: { added: { ...kind.events.added, invalidates: true } } };
}

async function audience(t: TestContext, kind: NotebookKind = invalidating()) {
  const stage = new Stage();
  t.after(() => stage.close());
  const questions: (() => void)[] = [];
  /** Rows that existed when the barrier was requested. */
  const written: number[] = [];
  const heard = () => {
    void stage.shared.range(pages, { notebook: alice }, { limit: 10 }).then((rows) => written.push(rows.length));
    return new Promise<void>((resolve) => questions.push(resolve));
  };
  const { runtime, log } = await stage.node(1, {}, [kind], undefined, heard);
  const asked = (text: string, shareWith?: string) => {
    const state = { done: false };
    const input = { text, ...(shareWith === undefined ? {} : { shareWith }) };
    const reply = runtime.ask('notebook', alice, 'add', input).then(() => {
      state.done = true;
    });
    return { state, reply };
  };
  return { stage, questions, written, log, asked, runtime };
}

test('a reply waits for the barrier after its rows are written', async (t) => {
  const { stage, questions, written, asked } = await audience(t);
  const { state, reply } = asked('one');
  await stage.clock.settle();
  assert.deepEqual([questions.length, state.done, written], [1, false, [1]]);
  questions[0]?.();
  await reply;
});

test('a client gets no reply before the effects of an invalidating event are done, however long they take', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime, store } = await stage.node(1, {}, [invalidating()]);
  const proceed = store.holdWrites(pages);
  const outcomes: string[] = [];
  const ask = (command: string, text: string) =>
    runtime.ask('notebook', alice, command, { text }).then(
      () => outcomes.push(`${text} answered`),
      (error: Error) => outcomes.push(`${text} ${error instanceof Unavailable ? 'in doubt' : error.message}`),
    );
  void ask('add', 'revoked');
  await stage.clock.advance(6_000);
  void ask('note', 'behind it');
  await stage.clock.advance(30_000);
  assert.deepEqual(outcomes, ['revoked in doubt', 'behind it in doubt']);
  void ask('note', 'later');
  await stage.clock.advance(1_000);
  proceed();
  await stage.clock.advance(10_000);
  assert.equal(outcomes.at(-1), 'later answered');
});

test('other events need no barrier', async (t) => {
  const { questions, asked } = await audience(t, notebook());
  await asked('one').reply;
  assert.equal(questions.length, 0);
});

test("the events of one command share a barrier, which comes before an effect's own", async (t) => {
  const { stage, questions, asked } = await audience(t);
  const { state } = asked('one', bob);
  await stage.clock.settle();
  assert.equal(questions.length, 1);
  questions[0]?.();
  await stage.clock.settle();
  assert.deepEqual([questions.length, state.done], [2, false]);
  questions[1]?.();
  await stage.clock.settle();
  assert.equal(state.done, true);
});

test('an event that is not stored needs no barrier', async (t) => {
  const { stage, questions, asked } = await audience(t);
  const proceed = stage.shared.write.bind(stage.shared);
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  stage.shared.write = async (rows) => {
    if (rows.some(({ table }) => table.name === journal.name)) await held;
    await proceed(rows);
  };
  const { reply } = asked('one');
  await stage.clock.settle();
  assert.equal(questions.length, 0);
  letGo();
  await stage.clock.settle();
  questions[0]?.();
  await reply;
});

test('a node that releases the shard does not wait for the barrier', async (t) => {
  const { stage, runtime, questions, asked, log } = await audience(t);
  const { reply } = asked('one');
  const outcome = reply.catch((error: Error) => error.message);
  await stage.clock.settle();
  assert.equal(questions.length, 1);
  runtime.close();
  assert.match(String(await outcome), /stopped|in doubt|moved/);
  assert.deepEqual(log, []);
});
