import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  COMPARED_CHARS_MAX,
  comparable,
  nameWords,
  STATUS_WORDS_MAX,
  startsWithLetter,
  WORD_CHARS_MAX,
  wordStart,
  wordsOf,
} from '../../../../actors/domain/text/words.js';
import { assertInProportion } from '../../../kit/time/proportion.js';

test('words compare without case, width and Latin accents, each once', () => {
  assert.deepEqual(wordsOf('Ｈello, hello CAFÉ — “été”! don’t', 10), ['hello', 'cafe', 'ete', 'don', 't']);
  assert.deepEqual(wordsOf('Привет, мир', 10), ['привет', 'мир']);
});

test('scripts without spaces are found by pairs of characters', () => {
  assert.deepEqual(wordsOf('東京都 と', 10), ['東京', '京都', 'と']);
  assert.deepEqual(wordsOf('tokyo東京', 10), ['tokyo', '東京']);
});

test('words and their number are bounded', () => {
  assert.equal(wordsOf('x'.repeat(500), 10)[0]?.length, WORD_CHARS_MAX);
  const many = Array.from({ length: 300 }, (_, n) => `w${n}`).join(' ');
  assert.equal(wordsOf(many, STATUS_WORDS_MAX).length, STATUS_WORDS_MAX);
});

test('people are found by name, its parts and the words of their display name', () => {
  assert.deepEqual(nameWords('ada_lovelace', 'Countess Ada'), ['ada_lovelace', 'ada', 'lovelace', 'countess']);
  assert.equal(wordStart('𝒜da'), '𝒜d');
});

test('text beyond the longest status is not compared, which bounds the cost of normalisation', () => {
  const fits = `${'a '.repeat(COMPARED_CHARS_MAX / 2 - 2)}last`;
  assert.equal(fits.length, COMPARED_CHARS_MAX);
  assert.deepEqual(wordsOf(`${fits} behind`, 10), ['a', 'last']);
  assert.equal(comparable('ﷺ'.repeat(COMPARED_CHARS_MAX * 10)), comparable('ﷺ'.repeat(COMPARED_CHARS_MAX)));
});

test('hostile texts take linear time', () => {
  for (const piece of ['a', 'é', '東', 'a東', 'e\u0301', '\u0301', ' ', 'ﷺ'])
    assertInProportion(piece.repeat(COMPARED_CHARS_MAX / piece.length), (text) => wordsOf(text, STATUS_WORDS_MAX));
});

test('words that begin with one letter are in few partitions, whatever the script', () => {
  for (const [letter, word] of [
    ['a', 'ada'],
    ['4', '4chan'],
    ['_', '_x'],
    ['ж', 'жанна'],
    ['ω', 'ωμέγα'],
    ['א', 'אדם'],
    ['न', 'नमस्ते'],
    ['す', 'すし'],
  ] as const) {
    const [compared = ''] = wordsOf(word, 1);
    const starts = startsWithLetter(letter);
    assert.ok(starts.includes(letter) && starts.length <= 101, letter);
    assert.ok(starts.includes(wordStart(compared)) || letter === '_', word);
  }
  assert.ok(startsWithLetter('a').includes('a_'));
  assert.deepEqual(startsWithLetter('한'), ['한']);
});
