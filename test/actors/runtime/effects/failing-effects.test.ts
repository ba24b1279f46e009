import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import { Unavailable } from '../../../../actors/domain/problem.js';
import { journal } from '../../../../store/tables.js';
import { type NotebookKind, notebook, pages } from '../../../kit/actors/notebook.js';
import { Stage } from '../../../kit/actors/stage.js';
import { fc } from '../../../kit/property.js';

const idOf = (shard: number) => makeId(1_767_225_600_000, shard, 0);
const alice = idOf(0);
const RECEIVERS = [idOf(1), idOf(2), idOf(3)];

type Outcome = 'done' | 'bug' | 'refused' | 'doneButFailed';

/** Copies each line to every notebook in `copyTo`, all at once, as overlapping effects must. */
function copyingNotebook(bugs: () => boolean): NotebookKind {
  const kind = notebook();
  const [rows] = kind.reactions;
  return {
    ...kind,
    decide: {
      ...kind.decide,
      add: (state, command, ctx) => {
        if (command.text.startsWith('copy') && bugs()) throw new TypeError('a bug in a receiver');
        return kind.decide.add(state, command, ctx);
      },
    },
    reactions: [
      ...(rows === undefined ? [] : [rows]),
      {
        surface: 'copies',
        beforeReply: false,
        on: {
          async added({ text, copyTo }, _happened, effects) {
            if (copyTo === undefined) return;
            await Promise.all(
              copyTo.split(' ').map((to) => effects.tell('notebook', to, 'add', { text: `copy of ${text}` })),
            );
          },
        },
      },
    ],
  };
}

const entries = fc.array(fc.array(fc.constantFrom(...RECEIVERS), { minLength: 1, maxLength: 3 }), {
  minLength: 2,
  maxLength: 12,
});
const outcomes = fc.array(fc.constantFrom<Outcome>('done', 'bug', 'refused', 'doneButFailed'), { maxLength: 30 });

test('receivers that fail temporarily get all overlapping effects once, in the order of the entries', async () => {
  await fc.assert(
    fc.asyncProperty(entries, outcomes, async (told, drawn) => {
      const left = [...drawn];
      const stage = new Stage();
      try {
        let isArmed = false;
        const next = (...of: Outcome[]) => isArmed && of.includes(left[0] ?? 'done') && left.shift() !== undefined;
        const { runtime, store } = await stage.node(1, {}, [
          copyingNotebook(() => {
            if (left[0] === 'done') left.shift();
            return next('bug');
          }),
        ]);
        const isCopy = (rows: Parameters<typeof store.beforeWrite>[0]) =>
          rows.some(({ table, key }) => table.name === journal.name && key.actor !== `notebook/${alice}`);
        let wasCopy = false;
        store.beforeWrite = (rows) => {
          wasCopy = isCopy(rows);
          if (wasCopy && next('refused')) throw new Unavailable('the store is away');
        };
        store.afterWrite = () => {
          if (wasCopy && next('doneButFailed')) throw new Error('the store failed after it had written');
        };
        const asked = told.map((targets, n) =>
          runtime.ask('notebook', alice, 'add', { text: `beside ${n}`, copyTo: targets.join(' ') }),
        );
        isArmed = true;
        await stage.clock.advance(3_600_000);
        await Promise.all(asked);
        for (const receiver of RECEIVERS) {
          const { lines } = (await runtime.ask('notebook', receiver, 'read', {})) as { lines: string[] };
          const expected = told.flatMap((targets, n) =>
            targets.filter((target) => target === receiver).map(() => `copy of beside ${n}`),
          );
          assert.deepEqual(lines, expected);
        }
      } finally {
        stage.close();
      }
    }),
    { numRuns: 60 },
  );
});

test('a failed write of rows does not fail later ones of overlapping effects', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime, store } = await stage.node(1);
  const proceed = store.holdWrites(journal);
  const texts = ['first', 'beside 2', 'beside 3', 'beside 4'];
  const asked = texts.map((text) => runtime.ask('notebook', alice, 'add', { text }));
  await stage.clock.settle();
  let writes = 0;
  store.beforeWrite = (rows) => {
    if (rows.some(({ table }) => table.name === pages.name) && ++writes === 2)
      throw new RangeError('a bug in the store');
  };
  proceed();
  await stage.clock.advance(60_000);
  await Promise.all(asked);
  for (const [index, text] of texts.entries()) {
    assert.deepEqual(await stage.shared.get(pages, { notebook: alice, line: index + 1 }), { text });
  }
});

test('an actor is released in time although its overlapping effects wait for a failing one', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime, store, log } = await stage.node(1, {}, [copyingNotebook(() => true)]);
  const proceed = store.holdWrites(journal);
  const [bob = ''] = RECEIVERS;
  const asked = ['first', 'beside 2', 'beside 3'].map((text) =>
    runtime.ask('notebook', alice, 'add', text === 'first' ? { text } : { text, copyTo: bob }),
  );
  await stage.clock.settle();
  proceed();
  await Promise.all(asked);
  await stage.clock.advance(1_000);
  assert.ok(log.includes('failed to run a reaction'));
  const released = runtime.release([0], async () => undefined);
  await stage.clock.advance(2_000);
  await released;
  assert.equal(runtime.metrics.activations, 0);
});

test('a released actor whose overlapping effects end at different times leaves no rejection unhandled', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  t.after(() => process.off('unhandledRejection', note));
  let finish = () => {};
  const slow = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const kind = copyingNotebook(() => true);
  const waiting = {
    surface: 'slow',
    beforeReply: false,
    on: { added: ({ text }: { text: string }) => (text === 'beside 2' ? slow : undefined) },
  };
  const { runtime, store } = await stage.node(1, {}, [{ ...kind, reactions: [...kind.reactions, waiting] }]);
  const proceed = store.holdWrites(journal);
  const [bob = ''] = RECEIVERS;
  const asked = ['first', 'beside 2', 'beside 3'].map((text) =>
    runtime.ask('notebook', alice, 'add', text === 'beside 3' ? { text, copyTo: bob } : { text }),
  );
  await stage.clock.settle();
  proceed();
  await Promise.all(asked);
  await stage.clock.advance(1_000);
  const released = runtime.release([0], async () => undefined);
  await stage.clock.advance(2_000);
  await new Promise((resolve) => setImmediate(resolve));
  finish();
  await stage.clock.advance(2_000);
  await released;
  assert.deepEqual(unhandled, []);
});
