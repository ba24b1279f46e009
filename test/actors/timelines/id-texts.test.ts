import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdTexts } from '../../../actors/timelines/id-texts.js';
import { idOf, wordsOf } from '../../../actors/timelines/id-words.js';
import { fc } from '../../kit/property.js';

test('the cached text of an id is correct, whatever else was read meanwhile', () => {
  const texts = new IdTexts();
  assert.equal(texts.of(0, 0), '0'.repeat(18));
  const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  const high = fc.integer({ min: 0, max: 232_830_643 });
  fc.assert(
    fc.property(fc.array(fc.tuple(high, word), { minLength: 1, maxLength: 50 }), (ids) => {
      for (const [one, other] of [...ids, ...ids]) assert.equal(texts.of(one, other), idOf(one, other));
    }),
    { numRuns: 500 },
  );
});

test('more ids than the cache holds replace one another, and each text is correct', () => {
  const texts = new IdTexts();
  const ids = Array.from({ length: 200_000 }, (_, index) =>
    wordsOf(String(116_000_000_000_000_000 + index * 1_048_583)),
  );
  for (let round = 0; round < 2; round++) {
    for (const { high, low } of ids) if (texts.of(high, low) !== idOf(high, low)) assert.fail(`${high} ${low}`);
  }
});
