import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileOf, IMPORT_ROWS_MAX, rowsOf } from '../../../../../gateway/routes/html/settings/transfer-rows.js';

test('files have the form that Mastodon gives them', () => {
  assert.equal(
    fileOf('follows', [['ann@far.example', 'true', 'false', 'en, de']]),
    'Account address,Show boosts,Notify on new posts,Languages\nann@far.example,true,false,"en, de"\n',
  );
  assert.equal(
    fileOf('mutes', [['ann@far.example', 'false']]),
    'Account address,Hide notifications\nann@far.example,false\n',
  );
  assert.equal(fileOf('lists', [['Friends', 'ann@far.example']]), 'Friends,ann@far.example\n');
});

test('columns are found by their names, and in their order without names', () => {
  const named = 'Languages,Account address\nen,@Ann@Far.example\n';
  assert.deepEqual(rowsOf('follows', named), [['@Ann@Far.example', '', '', 'en']]);
  assert.deepEqual(rowsOf('follows', 'ann@far.example,false'), [['ann@far.example', 'false']]);
  assert.deepEqual(rowsOf('domain_blocks', '#domain,#severity\nbad.example,suspend\n'), [['bad.example', 'suspend']]);
});

test('empty and repeated rows count once, and too many are refused', () => {
  assert.deepEqual(rowsOf('blocks', 'ann@far.example\n\n , \n@ANN@far.example\n'), [['ann@far.example']]);
  assert.deepEqual(rowsOf('lists', 'Friends\n,ann@far.example\n'), []);
  const many = Array.from({ length: IMPORT_ROWS_MAX + 1 }, (_, one) => `a${one}@far.example`);
  assert.equal(rowsOf('blocks', many.join('\n')), undefined);
  assert.equal(rowsOf('blocks', many.slice(1).join('\n'))?.length, IMPORT_ROWS_MAX);
});
