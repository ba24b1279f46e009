import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import { Unavailable } from '../../../../actors/domain/problem.js';
import type { AnyKind } from '../../../../actors/runtime/kind.js';
import { FORMAT } from '../../../../cluster/format.js';
import { snapshots } from '../../../../store/tables.js';
import { notebook } from '../../../kit/actors/notebook.js';
import { Stage } from '../../../kit/actors/stage.js';

const [one, two] = [makeId(1_000, 1, 0), makeId(1_000, 2, 0)] as const;
const NEXT = FORMAT + 1;
const NOT_KNOWN = (error: Error) => error instanceof Unavailable && /not every node supports/.test(error.message);

interface Newer {
  readonly state?: number;
  readonly commands?: Readonly<Record<string, number>>;
  readonly events?: Readonly<Record<string, number>>;
}

/** Returns the kind with traits `since`. */
function since(kind: AnyKind, { state, commands, events }: Newer): AnyKind {
  const marked = (specs: AnyKind['commands'] | AnyKind['events'], formats: Newer['commands']) =>
    Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, { ...spec, since: formats?.[name] }]));
  const own = { commands: marked(kind.commands, commands), events: marked(kind.events, events) };
  return { ...kind, ...own, ...(state === undefined ? {} : { stateSince: state }) } as AnyKind;
}

test('a newer command is not sent before every node supports its format', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime, placement, log } = await stage.node(1, {}, [since(notebook(), { commands: { note: NEXT } })]);
  await assert.rejects(runtime.ask('notebook', one, 'note', { text: 'a' }), NOT_KNOWN);
  assert.deepEqual(await runtime.ask('notebook', one, 'addOnce', { text: 'b' }), { line: 1 });
  placement.activeFormat = NEXT;
  assert.deepEqual(await runtime.ask('notebook', one, 'note', { text: 'a' }), { line: 2 });
  assert.deepEqual(log, []);
});

test('a newer event is not recorded before every node supports its format, and its actor continues', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime, placement, log } = await stage.node(1, {}, [since(notebook(), { events: { added: NEXT } })]);
  await assert.rejects(runtime.ask('notebook', one, 'addOnce', { text: 'a' }), NOT_KNOWN);
  assert.deepEqual(await runtime.ask('notebook', one, 'read', {}), { lines: [] });
  placement.activeFormat = NEXT;
  assert.deepEqual(await runtime.ask('notebook', one, 'addOnce', { text: 'a' }), { line: 1 });
  assert.deepEqual(log, []);
});

test('an effect with a newer command waits until every node supports its format', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const { runtime, placement } = await stage.node(1, {}, [since(notebook(), { commands: { add: NEXT } })]);
  placement.activeFormat = NEXT;
  const added = runtime.ask('notebook', one, 'add', { text: 'a', copyTo: two });
  placement.activeFormat = FORMAT;
  await added;
  await stage.clock.advance(60_000);
  assert.deepEqual(await runtime.ask('notebook', two, 'read', {}), { lines: [] });
  placement.activeFormat = NEXT;
  await stage.clock.advance(10_000);
  assert.deepEqual(await runtime.ask('notebook', two, 'read', {}), { lines: ['copy of a'] });
});

test('a snapshot of a newer state is not stored before every node supports its format', async (t) => {
  const stage = new Stage();
  t.after(() => stage.close());
  const limits = { snapshotWorth: 1, snapshotEntriesMin: 2, snapshotEntriesMax: 4 };
  const { runtime, placement, log } = await stage.node(1, limits, [since(notebook(), { state: NEXT })]);
  const stored = async () => (await stage.shared.range(snapshots, { actor: `notebook/${one}` }, { limit: 10 })).length;
  for (let count = 0; count < 10; count++) await runtime.ask('notebook', one, 'note', { text: `${count}` });
  await stage.clock.advance(10_000);
  assert.equal(await stored(), 0);
  placement.activeFormat = NEXT;
  await runtime.ask('notebook', one, 'note', { text: 'last' });
  await stage.clock.advance(10_000);
  assert.equal(await stored(), 1);
  assert.deepEqual(log, []);
});
