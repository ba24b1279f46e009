import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import { Unavailable } from '../../../../actors/domain/problem.js';
import type { RowWrite } from '../../../../store/port.js';
import { journal } from '../../../../store/tables.js';
import { notebook, pages } from '../../../kit/actors/notebook.js';
import { Stage } from '../../../kit/actors/stage.js';

const alice = makeId(1_767_225_600_000, 1, 0);
const key = { notebook: alice, line: 1 };
const KEY = 'key of the client';
const writes = (rows: readonly RowWrite[], name: string) => rows.some(({ table }) => table.name === name);
const tearing = () => {
  const kind = notebook();
  const appended = { ...kind, decide: { ...kind.decide } };
  appended.decide.erase = () => {
    throw new TypeError('a bug in decide');
  };
  return appended;
};

/**
 * Stores a line whose row cannot be written yet. `ended` tells whether its reply has arrived. `failing`: number of
 * appends that fail after its own.
 */
async function storedLine(t: TestContext, command: 'note' | 'add', failing = 1) {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1, {}, [tearing()]);
  let entries = 0;
  node.store.beforeWrite = async (rows) => {
    if (writes(rows, pages.name)) throw new Unavailable('the disk is full');
    if (!writes(rows, journal.name)) return;
    entries += 1;
    if (entries > 1 && entries <= 1 + failing) throw new Unavailable('the disk is full');
  };
  const reply = { ended: false };
  const asked = node.runtime
    .ask('notebook', alice, command, { text: 'one' }, command === 'note' ? KEY : undefined)
    .finally(() => {
      reply.ended = true;
    });
  await stage.clock.settle();
  assert.equal(reply.ended, false, 'the reply waits for the row');
  return { stage, node, asked, reply };
}

for (const [failure, next] of [
  ['a later append fails', 'note'],
  ['a later command fails', 'erase'],
] as const)
  test(`the reply of a stored entry waits for its rows in the next activation when ${failure}`, async (t) => {
    const { stage, node, asked, reply } = await storedLine(t, 'note');
    const refused = assert.rejects(node.runtime.ask('notebook', alice, next, { text: 'two' }));
    await stage.clock.advance(1_000);
    assert.equal(reply.ended, false, 'its row cannot be read');
    node.store.mend();
    await stage.clock.advance(9_000);
    await refused.catch(() => undefined);
    assert.deepEqual(await asked, { line: 1 });
    assert.deepEqual(await stage.shared.get(pages, key), { text: 'one' });
    const read = (await node.runtime.ask('notebook', alice, 'read', {})) as { lines: string[] };
    assert.equal(read.lines.filter((line) => line === 'one').length, 1);
  });

test('a reply that nobody may ask for again is sent when a later append fails', async (t) => {
  const { stage, node, asked, reply } = await storedLine(t, 'add');
  const refused = assert.rejects(node.runtime.ask('notebook', alice, 'add', { text: 'two' }), Unavailable);
  await stage.clock.settle();
  assert.equal(reply.ended, true);
  assert.equal(((await asked) as { line: number }).line, 1);
  await refused;
});

test('a reply is in doubt while the store can write nothing, and a repeat under its key gets it', async (t) => {
  const { stage, node, asked } = await storedLine(t, 'note', 1_000);
  const doubtful = assert.rejects(asked, Unavailable);
  await assert.rejects(node.runtime.ask('notebook', alice, 'note', { text: 'two' }), Unavailable);
  await doubtful;
  node.store.mend();
  const again = node.runtime.ask('notebook', alice, 'note', { text: 'one' }, KEY);
  await stage.clock.advance(10_000);
  assert.deepEqual(await again, { line: 1 });
  const read = (await node.runtime.ask('notebook', alice, 'read', {})) as { lines: string[] };
  assert.deepEqual(read.lines, ['one']);
});
