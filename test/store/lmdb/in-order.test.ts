import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOrder, RUN_TEXTS } from '../../../store/lmdb/in-order.js';
import { fc } from '../../kit/property.js';

/** Different texts without an order: the digits of each number are written backwards. */
const backwards = (count: number) =>
  Array.from({ length: count }, (_, index) => [...String(index).padStart(6, '0')].reverse().join(''));

test('texts are yielded in order, whatever their number', () => {
  const count = fc.oneof(fc.nat({ max: 50 }), fc.nat({ max: 4 * RUN_TEXTS }));
  fc.assert(
    fc.property(count, (size) => {
      const texts = backwards(size);
      const found = [...inOrder(texts)].filter((text) => text !== undefined);
      assert.deepEqual(found, texts.sort());
    }),
    { numRuns: 50 },
  );
});

test('between two steps no more than one run is read and sorted', () => {
  const texts = backwards(10 * RUN_TEXTS + 1);
  let read = 0;
  function* counted(): Generator<string> {
    for (const text of texts) {
      read += 1;
      yield text;
    }
  }
  let before = 0;
  let pauses = 0;
  for (const text of inOrder(counted())) {
    assert.ok(read - before <= RUN_TEXTS, `${read - before} texts were read in one step`);
    before = read;
    if (text === undefined) pauses += 1;
  }
  assert.deepEqual([read, pauses], [texts.length, 10]);
});
