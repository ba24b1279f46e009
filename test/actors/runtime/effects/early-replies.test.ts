import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import { Unavailable } from '../../../../actors/domain/problem.js';
import { put } from '../../../../store/port.js';
import { type NotebookKind, notebook, pages } from '../../../kit/actors/notebook.js';
import { Stage, type StageNode } from '../../../kit/actors/stage.js';

// A reply leaves after 5 s although its effects are pending. The effects of later commands still come after them: a
// client that has the reply expects that what it does next also shows next.

const notebookIn = (shard: number, sequence = 0) => makeId(1_767_225_600_000, shard, sequence);
const [alice, bob, carol, dora] = [notebookIn(1), notebookIn(2), notebookIn(3), notebookIn(3, 1)];
/** Longer than the patience of a reply. */
const OUT_OF_PATIENCE_MS = 5_200;
/** Longer than the longest pause between two attempts. */
const CAUGHT_UP_MS = 12_000;

async function staged(t: TestContext): Promise<{ stage: Stage; node: StageNode }> {
  const stage = new Stage();
  t.after(() => stage.close());
  return { stage, node: await stage.node(1) };
}

/** Records the order in which pages are written. `refused` names the notebooks whose writes fail. */
function pagesWritten(
  { store }: StageNode,
  refused: ReadonlySet<string>,
  held: (notebook: string) => Promise<void> | undefined = () => undefined,
): string[] {
  const written: string[] = [];
  store.beforeWrite = async (rows) => {
    for (const { table, key } of rows) {
      if (table.name !== pages.name) continue;
      const notebook = String(key.notebook);
      if (refused.has(notebook)) throw new Unavailable('the disk is full');
      await held(notebook);
      written.push(`${notebook} ${key.line}`);
    }
  };
  return written;
}

/** Kills the node. Returns the next owner of its shards, and the pages that it writes. */
async function takenOver(stage: Stage, node: StageNode, refused: ReadonlySet<string>) {
  stage.kill(node);
  const next = await stage.node(undefined);
  const written = pagesWritten(next, refused);
  next.placement.epoch = 2;
  await next.runtime.acquire([1, 2, 3]);
  return { next, written };
}

test('a line is not shared before an earlier one that the receiver could not store yet', async (t) => {
  const { stage, node } = await staged(t);
  const refused = new Set([carol]);
  const written = pagesWritten(node, refused);
  const first = node.runtime.ask('notebook', alice, 'add', { text: 'beside 1', shareWith: carol });
  await stage.clock.advance(OUT_OF_PATIENCE_MS);
  await first;
  await stage.clock.advance(OUT_OF_PATIENCE_MS);
  const second = node.runtime.ask('notebook', alice, 'add', { text: 'beside 2', shareWith: bob });
  await stage.clock.advance(OUT_OF_PATIENCE_MS);
  await second;
  assert.deepEqual(written, [`${alice} 1`]);
  refused.clear();
  await stage.clock.advance(CAUGHT_UP_MS);
  assert.deepEqual(written, [`${alice} 1`, `${carol} 1`, `${alice} 2`, `${bob} 1`]);
});

test('a line is not shared before one whose receiver has answered a client early', async (t) => {
  const { stage, node } = await staged(t);
  const refused = new Set([carol]);
  const written = pagesWritten(node, refused);
  const own = node.runtime.ask('notebook', carol, 'add', { text: 'of carol' });
  await stage.clock.advance(OUT_OF_PATIENCE_MS);
  await own;
  const first = node.runtime.ask('notebook', alice, 'add', { text: 'beside 1', shareWith: carol });
  await stage.clock.advance(2 * OUT_OF_PATIENCE_MS);
  await first;
  await node.runtime.ask('notebook', alice, 'add', { text: 'beside 2', shareWith: bob });
  assert.deepEqual(written, [`${alice} 1`]);
  refused.clear();
  await stage.clock.advance(CAUGHT_UP_MS);
  assert.deepEqual(written.slice(1), [`${carol} 1`, `${carol} 2`, `${alice} 2`, `${bob} 1`]);
});

test('lines that were acknowledged one after the other while an earlier one was stuck are shared in that order', async (t) => {
  const { stage, node } = await staged(t);
  const refused = new Set([alice]);
  const written = pagesWritten(node, refused);
  const stuck = node.runtime.ask('notebook', alice, 'add', { text: 'stuck' });
  await stage.clock.advance(OUT_OF_PATIENCE_MS);
  await stuck;
  await node.runtime.ask('notebook', alice, 'add', { text: 'beside 1', shareWith: carol });
  await node.runtime.ask('notebook', alice, 'add', { text: 'beside 2', shareWith: bob });
  refused.clear();
  refused.add(carol);
  await stage.clock.advance(CAUGHT_UP_MS);
  assert.deepEqual(written, [`${alice} 1`, `${alice} 2`]);
  refused.clear();
  await stage.clock.advance(CAUGHT_UP_MS);
  assert.deepEqual(written.slice(2), [`${carol} 1`, `${alice} 3`, `${bob} 1`]);
});

/** Adds three lines, of which the first is stuck. Resolves when all replies have left. */
type AddsThree = (add: (text: string, shareWith?: string) => Promise<unknown>, stage: Stage) => Promise<void>;

async function assertSharedInTurn(t: TestContext, addThree: AddsThree): Promise<void> {
  const { stage, node } = await staged(t);
  const refused = new Set([alice]);
  let proceed: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  const written = pagesWritten(node, refused, (notebook) => (notebook === bob ? held : undefined));
  const add = (text: string, shareWith?: string) => node.runtime.ask('notebook', alice, 'add', { text, shareWith });
  await addThree(add, stage);
  refused.clear();
  refused.add(carol);
  await stage.clock.advance(CAUGHT_UP_MS);
  const last = add('beside 2', dora);
  await stage.clock.settle();
  proceed();
  await stage.clock.settle();
  assert.deepEqual(written, [`${alice} 1`, `${alice} 2`, `${bob} 1`, `${alice} 3`]);
  refused.clear();
  await stage.clock.advance(CAUGHT_UP_MS);
  await last;
  assert.deepEqual(written.slice(4), [`${carol} 1`, `${alice} 4`, `${dora} 1`]);
}

test('a line whose reply left while it waited for its turn is shared before a later one', (t) =>
  assertSharedInTurn(t, async (add, stage) => {
    const early = [add('stuck'), add('slow', bob), add('beside 1', carol)];
    await stage.clock.advance(OUT_OF_PATIENCE_MS);
    await Promise.all(early);
  }));

test('a line whose reply left at once, behind a stuck line, is shared before a later one', (t) =>
  assertSharedInTurn(t, async (add, stage) => {
    const stuck = add('stuck');
    await stage.clock.advance(OUT_OF_PATIENCE_MS);
    await stuck;
    await add('slow', bob);
    await add('beside 1', carol);
  }));

test('the next owner shares the lines of a dead node in their order', async (t) => {
  const { stage, node } = await staged(t);
  pagesWritten(node, new Set([alice]));
  for (const [place, shareWith] of [carol, bob].entries()) {
    const asked = node.runtime.ask('notebook', alice, 'add', { text: `beside ${place}`, shareWith });
    await stage.clock.advance(OUT_OF_PATIENCE_MS);
    await asked;
  }
  const refused = new Set([alice, carol]);
  const { written } = await takenOver(stage, node, refused);
  await stage.clock.advance(CAUGHT_UP_MS);
  refused.delete(alice);
  await stage.clock.advance(CAUGHT_UP_MS);
  assert.deepEqual(written, [`${alice} 1`]);
  refused.clear();
  await stage.clock.advance(CAUGHT_UP_MS);
  assert.deepEqual(written.slice(1), [`${carol} 1`, `${alice} 2`, `${bob} 1`]);
});

test('the next owner shares together the lines whose effects each reply had waited for', async (t) => {
  const { stage, node } = await staged(t);
  for (const [place, shareWith] of [carol, bob].entries())
    await node.runtime.ask('notebook', alice, 'add', { text: `beside ${place}`, shareWith });
  const { written } = await takenOver(stage, node, new Set([carol]));
  await stage.clock.settle();
  assert.ok(written.includes(`${alice} 2`), written.join(', '));
});

test('the next owner shares its own line after those of a dead node', async (t) => {
  const { stage, node } = await staged(t);
  pagesWritten(node, new Set([alice]));
  const early = ['stuck', 'beside 1'].map((text) =>
    node.runtime.ask('notebook', alice, 'add', { text, shareWith: text === 'stuck' ? undefined : carol }),
  );
  await stage.clock.advance(OUT_OF_PATIENCE_MS);
  await Promise.all(early);
  const refused = new Set([alice, carol]);
  const { next, written } = await takenOver(stage, node, refused);
  await stage.clock.settle();
  const own = next.runtime.ask('notebook', alice, 'add', { text: 'beside 2', shareWith: bob });
  await stage.clock.settle();
  refused.delete(alice);
  await stage.clock.advance(CAUGHT_UP_MS);
  await own;
  assert.deepEqual(written, [`${alice} 1`, `${alice} 2`]);
  refused.clear();
  await stage.clock.advance(CAUGHT_UP_MS);
  assert.deepEqual(written.slice(2), [`${carol} 1`, `${alice} 3`, `${bob} 1`]);
});

test('a receiver whose reaction has a fault holds up the lines of others only for the patience of a reply', async (t) => {
  const { stage, node } = await staged(t);
  let isFaulty = true;
  const written: string[] = [];
  node.store.beforeWrite = (rows) => {
    for (const { table, key } of rows) {
      if (table.name !== pages.name) continue;
      if (isFaulty && key.notebook === carol) throw new TypeError('a bug in a reaction');
      written.push(`${key.notebook} ${key.line}`);
    }
  };
  const first = node.runtime.ask('notebook', alice, 'add', { text: 'beside 1', shareWith: carol });
  await stage.clock.advance(2 * OUT_OF_PATIENCE_MS);
  await first;
  await node.runtime.ask('notebook', alice, 'add', { text: 'beside 2', shareWith: bob });
  assert.deepEqual(written, [`${alice} 1`, `${alice} 2`, `${bob} 1`]);
  isFaulty = false;
  await stage.clock.advance(60_000);
  assert.deepEqual(written.slice(3), [`${carol} 1`]);

  const refused = pagesWritten(node, new Set([carol]));
  const third = node.runtime.ask('notebook', alice, 'add', { text: 'beside 3', shareWith: carol });
  await stage.clock.advance(2 * OUT_OF_PATIENCE_MS);
  await third;
  await node.runtime.ask('notebook', alice, 'add', { text: 'beside 4', shareWith: bob });
  assert.deepEqual(refused, [`${alice} 3`], 'the fault is mended, and the store is away');
});

/** Shares each line along a path of notebooks, `id>id`, each before the reply to the one before. */
function sharingOn(): NotebookKind {
  const kind = notebook();
  return {
    ...kind,
    reactions: [
      {
        surface: 'pages',
        beforeReply: true,
        on: {
          async added({ text, line, shareWith = '' }, { self }, effects) {
            await effects.write([put(pages, { notebook: self, line }, { text })]);
            const [next, ...further] = shareWith.split('>');
            if (next) await effects.tell('notebook', next, 'add', { text, shareWith: further.join('>') });
          },
        },
      },
    ],
  };
}

test('a receiver that waits for another actor holds up the lines of others only for the patience of a reply', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const node = await stage.node(1, {}, [sharingOn()]);
  const written = pagesWritten(node, new Set([carol]));
  const first = node.runtime.ask('notebook', alice, 'add', { text: 'beside 1', shareWith: `${dora}>${carol}` });
  await stage.clock.advance(3 * OUT_OF_PATIENCE_MS);
  await first;
  await node.runtime.ask('notebook', alice, 'add', { text: 'beside 2', shareWith: bob });
  assert.deepEqual(written, [`${alice} 1`, `${dora} 1`, `${alice} 2`, `${bob} 1`]);
});
