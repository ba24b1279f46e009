import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyLayout } from '../../../store/keys.js';
import { type HeldTable, keyBytes, keyText, Overlay } from '../../../store/lmdb/overlay.js';
import type { AnyTable } from '../../../store/table.js';
import { cursors, favourites } from '../../../store/tables.js';
import { fc } from '../../kit/property.js';

const held = (table: AnyTable, index: number): HeldTable => ({
  name: table.name,
  index,
  layout: new KeyLayout(table),
  db: undefined as never,
});
const alone = held(cursors, 0);
const ranged = held(favourites, 1);

const keyOf = (account: string, mark: string) => ranged.layout.key({ account, era: 1, mark });

const few = fc.integer({ min: 1, max: 5 }).map((id) => String(id).padStart(18, '0'));
const rowKey = fc.oneof(
  fc.constantFrom('ann', 'ann\0', 'ben', '').map((actor) => ({ table: alone, key: alone.layout.key({ actor }) })),
  fc.record({ account: few, mark: few }).map(({ account, mark }) => ({ table: ranged, key: keyOf(account, mark) })),
);
const value = fc.option(
  fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
  { nil: undefined },
);
const changes = fc.array(
  fc.tuple(rowKey, value).map(([row, bytes]) => ({ ...row, bytes })),
  { maxLength: 60 },
);

test('an overlay has the newest change of each row, and yields them in the order of keys', () => {
  fc.assert(
    fc.property(changes, (all) => {
      const overlay = new Overlay();
      const newest = new Map<HeldTable, Map<string, Buffer | undefined>>([
        [alone, new Map()],
        [ranged, new Map()],
      ]);
      for (const change of all) {
        overlay.apply(change);
        newest.get(change.table)?.set(keyText(change.key), change.bytes);
      }
      const expected = [...newest].flatMap(([table, rows]) =>
        [...rows.keys()].sort().map((key) => ({ table, key: keyBytes(key), bytes: rows.get(key) })),
      );
      assert.deepEqual([...overlay.parts(7)].flat(), expected);
      assert.equal(overlay.rows, expected.length);
      for (const { table, key, bytes } of expected) assert.deepEqual(overlay.get(table, keyText(key)), bytes ?? null);
      const partition = keyText(ranged.layout.partitionKey({ account: '3', era: 1 }));
      const own = [...(newest.get(ranged)?.keys() ?? [])].filter((key) => key.startsWith(partition)).sort();
      assert.deepEqual(overlay.keys(ranged, partition), own);
      assert.equal(overlay.get(ranged, keyText(keyOf('9', '1'))), undefined);
    }),
    { numRuns: 500 },
  );
});
