import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import { Unavailable } from '../../../../actors/domain/problem.js';
import { put, type RowWrite } from '../../../../store/port.js';
import { cursors, journal } from '../../../../store/tables.js';
import { type NotebookKind, notebook, pages } from '../../../kit/actors/notebook.js';
import { Stage, type StageNode } from '../../../kit/actors/stage.js';

const alice = makeId(1_767_225_600_000, 1, 0);
const actor = `notebook/${alice}`;

/** Writes one row with the number of lines, as rows of accounts have counts. */
const counting = (beforeReply: boolean): NotebookKind => ({
  ...notebook(),
  reactions: [
    {
      surface: 'counts',
      beforeReply,
      on: {
        added: (_event, { self, state }, effects) =>
          effects.write([put(pages, { notebook: self, line: 0 }, { text: String(state.lines.length) })]),
      },
    },
  ],
});

const count = async (stage: Stage) => (await stage.shared.get(pages, { notebook: alice, line: 0 }))?.text;
const add = (node: StageNode, text: string) => node.runtime.ask('notebook', alice, 'add', { text }) as Promise<object>;
const lines = async (stage: Stage, node: StageNode) => {
  const asked = node.runtime.ask('notebook', alice, 'read', {});
  const [reply] = await Promise.all([asked, stage.clock.advance(10_000)]);
  return (reply as { lines: string[] }).lines.length;
};
const writes = (rows: readonly RowWrite[], name: string) => rows.some(({ table }) => table.name === name);

/** Stops when entry 2's row has been written from a state with entry 3, whose append is under way. */
async function ahead(t: TestContext, beforeReply: boolean) {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1, { cursorEvery: 1 }, [counting(beforeReply)]);
  const gate: { letRows: () => void; failAppend: () => void } = { letRows: () => {}, failAppend: () => {} };
  let entries = 0;
  node.store.beforeWrite = (rows) => {
    if (writes(rows, journal.name)) entries += 1;
    if (writes(rows, journal.name) && entries === 3)
      return new Promise((_, reject) => {
        gate.failAppend = () => reject(new Unavailable('no answer'));
      });
    if (writes(rows, pages.name) && entries === 1)
      return new Promise((resolve) => {
        gate.letRows = resolve;
      });
    return undefined;
  };
  const asked = [add(node, 'one')];
  await stage.clock.settle();
  asked.push(add(node, 'two'));
  await stage.clock.settle();
  const third = add(node, 'three');
  const refused = assert.rejects(third, Unavailable);
  await stage.clock.settle();
  gate.letRows();
  await Promise.all([...asked, stage.clock.settle()]);
  assert.deepEqual([entries, await count(stage)], [3, '3']);
  return { stage, node, gate, refused };
}

for (const beforeReply of [true, false]) {
  const side = beforeReply ? 'before' : 'behind';

  test(`a row written ${side} the reply with an entry whose append fails later is written again`, async (t) => {
    const { stage, node, gate, refused } = await ahead(t, beforeReply);
    gate.failAppend();
    await refused;
    node.store.mend();
    assert.equal(await lines(stage, node), 2);
    assert.equal(await count(stage), '2');
  });

  test(`a row written ${side} the reply with an entry that a kill prevents is written again by the next owner`, async (t) => {
    const { stage, node, refused } = await ahead(t, beforeReply);
    stage.kill(node);
    await refused;
    const next = await stage.node(2, {}, [counting(beforeReply)]);
    await stage.clock.advance(10_000);
    assert.equal(await count(stage), '2', 'no command was sent to the actor');
    assert.equal(await lines(stage, next), 2);
  });
}

test('the cursor is saved once the append of the later entry in the state has succeeded', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1, { cursorEvery: 1 }, [counting(true)]);
  const proceed = node.store.holdWrites(journal);
  const asked = ['one', 'two', 'three'].map((text) => add(node, text));
  await stage.clock.settle();
  proceed();
  await Promise.all([...asked, stage.clock.advance(10_000)]);
  assert.deepEqual(await stage.shared.get(cursors, { actor }), { beforeReply: 3, afterReply: 3 });
  assert.equal(node.runtime.metrics.unsettled, 0);
});
