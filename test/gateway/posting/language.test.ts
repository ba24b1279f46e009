import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageOf } from '../../../gateway/posting/language.js';

test('the language of a sentence is detected from its beginning', async () => {
  assert.equal(await languageOf('Das ist ein schöner Tag für einen Spaziergang im Park.'), 'de');
  assert.equal(await languageOf('See you all tomorrow in the garden of my parents!'), 'en');
  assert.equal(await languageOf('今日はいい天気ですね'), 'ja');
  assert.equal(
    await languageOf(
      `Buenos días a todos, hoy hace mucho calor y mañana iremos juntos a la playa con nuestros amigos. ${'word '.repeat(5_000)}`,
    ),
    'es',
  );
});

test('names, addresses and short texts have no language', async () => {
  for (const text of [
    '',
    'hi',
    'number 17',
    '1234567890 1234567890',
    '#Spaziergang #imPark @schöner',
    'https://ein.example/schöner/tag',
  ])
    assert.equal(await languageOf(text), undefined, text);
});
