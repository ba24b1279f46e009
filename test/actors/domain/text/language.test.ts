import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLanguage, LANGUAGE_CHARS_MAX } from '../../../../actors/domain/text/language.js';

/** All languages that Mastodon offers from ISO 639-3 and by region, and some of ISO 639-1. */
const CHOSEN =
  'ast chr ckb cnr csb gsw jbo kab ldn lfn moh nds pdc sco sma smj szl tok vai xal zba zgh zh-CN zh-HK zh-TW zh-YUE ' +
  'pt-BR es-AR sr-Latn en de ja gn ii vo za sh no tl bh';

test('a language is one of ISO 639, by itself or with a region or a script', () => {
  for (const code of CHOSEN.split(' ')) assert.ok(isLanguage(code), code);
});

test('unassigned codes and malformed texts are no languages', () => {
  const none = 'zz qq xx qaa zz-DE und mul zxx EN en_GB english e - en- <x> no%20such root 12';
  for (const code of ['', ' ', 'en ', 'ёё', 'en\n', ...none.split(' ')]) assert.ok(!isLanguage(code), code);
  assert.ok(!isLanguage(`en${'-abc'.repeat(LANGUAGE_CHARS_MAX)}`), 'too long');
});
