import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId, SHARDS } from '../../../actors/domain/ids.js';
import { IdTexts } from '../../../actors/timelines/id-texts.js';
import { idOf, wordsOf } from '../../../actors/timelines/id-words.js';
import { fc } from '../../kit/property.js';

const PAGES = 1_000;

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

test('the ids of a page, minted within milliseconds, keep their texts', () => {
  const texts = new IdTexts();
  let repeated = 0;
  const chance = fc.sample(fc.nat({ max: SHARDS - 1 }), { numRuns: 16 * PAGES, seed: 1 });
  for (let page = 0; page < PAGES; page++) {
    const shards = chance.slice(page * 16, page * 16 + 16);
    const startMs = 1_764_360_000_000 + page * 3_600_000;
    const ids = Array.from({ length: 60 }, (_, at) =>
      wordsOf(makeId(startMs + (at >> 2), shards[at % 16] ?? 0, (at >> 4) & 1)),
    );
    for (const { high, low } of ids) texts.of(high, low);
    const before = texts.misses;
    for (const { high, low } of ids) texts.of(high, low);
    repeated += texts.misses - before;
  }
  // One in 5,000 ids may share its two places with two others of its page. With one place each it is one in 450.
  assert.ok(repeated <= (PAGES * 60) / 5_000, `${repeated} texts were made again`);
});
