import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogueFor, catalogues } from '../../../../../actors/domain/text/catalogue/catalogue.js';

test('a locale gets the catalogue of its language, and English if there is none', () => {
  const chosen = ['de', 'de-AT', 'de_DE', 'DE', 'en-GB', 'fr', 'deu', '', '-', 'constructor'].map(
    (locale) => catalogueFor(locale).language,
  );
  assert.deepEqual(chosen, ['de', 'de', 'de', 'de', 'en', 'en', 'en', 'en', 'en', 'en']);
});

test('each text of each catalogue is a whole sentence of its own language', () => {
  const [first, ...others] = catalogues.map((one) => new Map(leaves(one, '')));
  for (const other of others) {
    assert.deepEqual([...other.keys()].sort(), [...(first?.keys() ?? [])].sort());
    for (const [path, text] of other) {
      assert.notEqual(text.trim(), '', path);
      if (text.includes(' ')) assert.notEqual(text, first?.get(path), `${path} is not translated`);
    }
  }
});

test('a title takes the name as it is given, text or HTML', () => {
  assert.equal(catalogueFor('en').notifications.titles.quote('A &amp; B'), 'A &amp; B quoted your post');
  assert.equal(catalogueFor('de').notifications.titles.quote('Ann'), 'Ann hat deinen Beitrag zitiert');
});

/** Yields the path and the text of each entry; functions are called with an example. */
function* leaves(value: unknown, path: string): Generator<readonly [string, string]> {
  if (typeof value === 'string') yield [path, value];
  else if (typeof value === 'function') yield [path, String(value('x', 'y'))];
  else for (const [name, inner] of Object.entries(value as object)) yield* leaves(inner, `${path}.${name}`);
}
