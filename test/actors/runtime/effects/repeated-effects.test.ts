import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import type { AnyKind, Effects } from '../../../../actors/runtime/kind.js';
import { notebook, pages } from '../../../kit/actors/notebook.js';
import { Stage } from '../../../kit/actors/stage.js';

const id = makeId(1_767_225_600_000, 1, 0);

/** Collects each line whose effects began, and whether they may be repeats. */
function staged(t: TestContext) {
  const stage = new Stage();
  t.after(() => stage.close());
  const begun: [string, boolean][] = [];
  const added = ({ text }: { text: string }, _happened: object, { mayRepeat }: Effects) =>
    void begun.push([text, mayRepeat]);
  const kind = notebook();
  const watch = { surface: 'watch', beforeReply: true, on: { added } };
  const kinds = [{ ...kind, reactions: [watch, ...(kind.reactions ?? [])] }] as unknown as AnyKind[];
  return { stage, begun, node: (epoch: number) => stage.node(epoch, {}, kinds) };
}

test('effects of the first attempt are new, and those of a retry or of the next owner may be repeats', async (t) => {
  const { stage, begun, node } = staged(t);
  const first = await node(1);
  const add = (text: string, at = first) => at.runtime.ask('notebook', id, 'add', { text });
  await add('one');
  assert.deepEqual(begun.splice(0), [['one', false]]);
  const tear = new Error('a fault');
  first.store.beforeWrite = (rows) => {
    if (rows.some(({ table }) => table.name === pages.name)) throw tear;
  };
  const reply = add('two');
  await stage.clock.settle();
  first.store.mend();
  await stage.clock.advance(1_000);
  await reply;
  assert.deepEqual(begun.splice(0), [
    ['two', false],
    ['two', true],
  ]);
  stage.kill(first);
  const second = await node(2);
  await stage.clock.advance(1_000);
  await add('three', second);
  assert.deepEqual(begun, [
    ['one', true],
    ['two', true],
    ['three', false],
  ]);
});
