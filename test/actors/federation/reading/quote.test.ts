import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quoteIn } from '../../../../actors/federation/reading/quote.js';

const stamp = 'https://v.example/stamps/1';

test('the first property that names a quote counts, with its stamp', () => {
  const [one, two] = ['https://v.example/notes/1', 'https://v.example/notes/2'];
  assert.deepEqual(quoteIn({ quote: one, quoteUri: two, quoteAuthorization: stamp }), {
    uri: one,
    approvalUri: stamp,
  });
  for (const name of ['quoteUrl', 'quoteUri', '_misskey_quote'])
    assert.deepEqual(quoteIn({ [name]: one }), { uri: one, approvalUri: undefined }, name);
  for (const quote of [null, 7, '', 'ftp://v.example/1', 'https://u@v.example/1', [], {}])
    assert.equal(quoteIn({ quote }), undefined);
});
