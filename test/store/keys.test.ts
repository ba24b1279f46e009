import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyLayout } from '../../store/keys.js';
import type { AnyTable } from '../../store/table.js';
import { fc } from '../kit/property.js';

const layout = new KeyLayout({
  partition: { name: 'text', id: 'id' },
  clustering: { at: 'int', text: 'text' },
} as unknown as AnyTable);

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', '\0', 'a\0b\0', 'ann', 'スター'),
);
const keys = fc.record({
  name: texts,
  id: fc.bigInt(0n, 10n ** 18n - 1n).map((id) => String(id).padStart(18, '0')),
  at: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  text: texts,
});

/** Returns the column's value as bytes that sort as the values do. */
const ordered = (value: string | number) =>
  typeof value === 'number' ? Buffer.from(String(value).padStart(16, '0')) : Buffer.from(value);

test('a key is decoded as it was encoded', () => {
  fc.assert(
    fc.property(keys, (key) => assert.deepEqual(layout.decode(layout.key(key)), { ...key })),
    { numRuns: 1_000 },
  );
});

test('keys sort by their columns', () => {
  fc.assert(
    fc.property(keys, keys, fc.nat({ max: 4 }), (a, other, equal) => {
      // Keys that are equal in their first columns show the order of the next one.
      const names = ['name', 'id', 'at', 'text'] as const;
      const b = Object.fromEntries(names.map((name, place) => [name, (place < equal ? a : other)[name]])) as typeof a;
      const differing = names.find((name) => a[name] !== b[name]);
      const expected = differing === undefined ? 0 : ordered(a[differing]).compare(ordered(b[differing]));
      assert.equal(layout.key(a).compare(layout.key(b)), expected);
    }),
    { numRuns: 2_000 },
  );
});

test('the bytes of a partition end where partitionLength says', () => {
  fc.assert(
    fc.property(keys, (key) => {
      const bytes = layout.key(key);
      const length = layout.partitionLength(bytes.toString('latin1'));
      assert.deepEqual(bytes.subarray(0, length), layout.partitionKey(key));
    }),
  );
});
