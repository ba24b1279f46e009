import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eraOfId, makeId } from '../../../actors/domain/ids.js';
import { LatestRows } from '../../../gateway/discovery/latest-rows.js';
import { CachedTables } from '../../../store/cache/cached-tables.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { put, remove } from '../../../store/port.js';
import { favourites } from '../../../store/tables.js';
import { fc } from '../../kit/property.js';
import { VirtualClock } from '../../kit/time/virtual-clock.js';

const NOW_MS = 400_000_000;
const account = makeId(1_000, 1, 0);
const other = makeId(1_001, 1, 0);
const idOf = (number: number) => makeId(2_000 + number, 2, 0);
const keyOf = (number: number, of = account) => ({ account: of, era: eraOfId(idOf(number)), mark: idOf(number) });
const row = (number: number, of = account) => put(favourites, keyOf(number, of), { statusId: idOf(number) });

/** Tables that count reads of their inner ranges. */
function world(isTold = true) {
  const shared = new MemoryTables();
  const state = { reads: 0, hold: undefined as Promise<void> | undefined };
  const range = (async (...asked: Parameters<typeof shared.range>) => {
    state.reads += 1;
    const found = await shared.range(...asked);
    await state.hold;
    return found;
  }) as unknown as typeof shared.range;
  const inner = Object.assign(Object.create(shared) as MemoryTables, { range });
  const tables = new CachedTables(inner, { newest: [favourites] });
  const clock = new VirtualClock(undefined, NOW_MS);
  const latest = new LatestRows(tables, clock, isTold ? (listener) => tables.onChanged(listener) : undefined);
  const read = async (count: number, of = account) =>
    (await latest.of(favourites, 'mark', of, count)).map(({ id }) => id).slice(0, count);
  return { tables, latest, read, state };
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

test('more rows than a page shows are read once, and later writes are included', async () => {
  const { tables, read, state, latest } = world();
  await tables.write(numbers(0, 250).map((number) => row(number)));
  const all = numbers(0, 250).map(idOf).reverse();
  assert.deepEqual(await read(400), all);
  const { reads } = state;
  const first = await latest.of(favourites, 'mark', account, 400);
  assert.equal(await latest.of(favourites, 'mark', account, 300), first, 'the same list for whoever wants fewer');
  await tables.write([row(250), remove(favourites, keyOf(7)), row(3, other)]);
  assert.deepEqual(await read(400), [idOf(250), ...all.filter((id) => id !== idOf(7))]);
  assert.equal(state.reads, reads);
  assert.deepEqual(await read(400, other), [idOf(3)]);
});

test('a read during a write is not cached', async () => {
  const { tables, read, state } = world();
  await tables.write([row(1)]);
  let go = () => {};
  state.hold = new Promise((resolve) => {
    go = resolve;
  });
  const reading = read(400);
  await tables.write([row(2)]);
  go();
  assert.deepEqual(await reading, [idOf(1)]);
  assert.deepEqual(await read(400), [idOf(2), idOf(1)]);
});

test('rows are not cached without notifications of writes', async () => {
  const { tables, latest } = world(false);
  await tables.write([row(1)]);
  const first = await latest.of(favourites, 'mark', account, 400);
  assert.notEqual(await latest.of(favourites, 'mark', account, 400), first);
});

test('the cache equals the store after random writes and reads', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('put' as const), number: fc.nat(30) }),
    fc.record({ kind: fc.constant('remove' as const), number: fc.nat(30) }),
    fc.record({ kind: fc.constant('read' as const), number: fc.constantFrom(3, 8, 40) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { tables, read } = world();
      const stored = new Set<string>();
      for (const { kind, number } of steps) {
        if (kind === 'put') {
          stored.add(idOf(number));
          await tables.write([row(number)]);
        } else if (kind === 'remove') {
          stored.delete(idOf(number));
          await tables.write([remove(favourites, keyOf(number))]);
        } else assert.deepEqual(await read(number), [...stored].sort().reverse().slice(0, number));
      }
      assert.deepEqual(await read(40), [...stored].sort().reverse());
    }),
    { numRuns: 200 },
  );
});
