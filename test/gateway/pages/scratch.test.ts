import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Scratch } from '../../../gateway/pages/scratch.js';
import { fc } from '../../kit/property.js';

test('a fragment is its parts one after the other, and outlasts the next fragments', () => {
  const text = fc.tuple(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom(1, 50, 2_000));
  const part = fc.oneof(
    text.map(([piece, times]) => piece.repeat(times)),
    fc.uint8Array({ maxLength: 200 }),
  );
  fc.assert(
    fc.property(fc.array(fc.array(part, { maxLength: 4 }), { maxLength: 4 }), (fragments) => {
      const scratch = new Scratch();
      const made = fragments.map((parts) => {
        scratch.clear();
        const lengths = parts.map((one) => scratch.add(one));
        const bytes = scratch.copy();
        assert.equal(lengths.at(-1) ?? 0, bytes.length);
        return bytes;
      });
      const expected = fragments.map((parts) => Buffer.concat(parts.map((one) => Buffer.from(one))));
      assert.deepEqual(made, expected);
    }),
  );
});
