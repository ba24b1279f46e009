import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../../actors/runtime/system.js';
import { LmdbTables } from '../../../store/lmdb/lmdb-tables.js';
import { put, remove } from '../../../store/port.js';
import { contractTables, event, rows } from '../../contract/contract-tables.js';
import { fc } from '../../kit/property.js';

const log = { info: () => {}, warn: () => {}, error: () => {} };

const partition = fc.record({
  owner: fc.constantFrom('', 'ann', 'ann\0', 'ann\0\0', 'annabel', 'ÿ', '😀'),
  part: fc.constantFrom(0, 1, 255, 256, 2 ** 32, 2 ** 40 + 1),
});
const change = fc.record({ partition, at: fc.integer({ min: 0, max: 3 }), isPut: fc.boolean() });
const nameOf = ({ owner, part }: { readonly owner: string; readonly part: number }) => `${owner} ${part}`;

/** Runs the changes, of which the first half is in LMDB by the end and the others are in the log. */
async function partitionsAfter(changes: readonly (typeof change extends fc.Arbitrary<infer T> ? T : never)[]) {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-lmdb-'));
  const open = () => LmdbTables.open({ folder, clock: systemClock, log, tables: contractTables });
  const filled = new Map<string, Set<number>>();
  const seen = new Set<string>();
  let tables = await open();
  try {
    for (const [place, { partition, at, isPut }] of changes.entries()) {
      // Closing brings everything into LMDB.
      if (place === changes.length >> 1) {
        await tables.close();
        tables = await open();
      }
      const key = { ...partition, word: 'w', at, item: '000000000000000001' };
      await tables.write([isPut ? put(rows, key, event('e')) : remove(rows, key)]);
      const name = nameOf(partition);
      seen.add(name);
      const own = filled.get(name) ?? new Set();
      filled.set(name, own);
      if (isPut) own.add(at);
      else own.delete(at);
    }
    const now = (await tables.partitions(rows)).map(nameOf);
    await tables.close();
    tables = await open();
    const stored = (await tables.partitions(rows)).map(nameOf);
    return { now, stored, filled: [...filled].flatMap(([name, own]) => (own.size > 0 ? [name] : [])), seen };
  } finally {
    await tables.close();
    await rm(folder, { recursive: true });
  }
}

test('all partitions with rows are listed once, whether their rows are in the log, in LMDB or in both', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 40 }), async (changes) => {
      const { now, stored, filled, seen } = await partitionsAfter(changes);
      assert.equal(new Set(now).size, now.length);
      assert.deepEqual(
        filled.filter((name) => !now.includes(name)),
        [],
        'a partition with rows is missing',
      );
      assert.ok(now.every((name) => seen.has(name)));
      assert.deepEqual(stored.sort(), filled.sort(), 'once the log is in LMDB, exactly those with rows');
    }),
    { numRuns: 25 },
  );
});
