import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCsv, writeCsv } from '../../../../actors/domain/text/csv.js';

test('cells with commas, quotes and line breaks are written so that they are read again', () => {
  const rows = [
    ['a list', 'ann@far.example'],
    ['so, "called"', ''],
  ];
  const text = writeCsv([...rows, ['two\nlines']]);
  assert.equal(text, 'a list,ann@far.example\n"so, ""called""",\n"two lines"\n');
  assert.deepEqual(readCsv(text, 1_000).slice(0, 3), [...rows, ['two lines']]);
});

test('empty cells keep their places, and quotes that do not close are text', () => {
  assert.deepEqual(readCsv(',a,,b,\n"a,b\n"a"b,c\n,,', 100), [
    ['', 'a', '', 'b', ''],
    ['"a', 'b'],
    ['"a"b', 'c'],
    ['', '', ''],
  ]);
});

test('long lines are cut, and no more lines are read than asked for', () => {
  assert.deepEqual(readCsv('\ufeffabcdef\r\nb\nc', 3, 2), [['abc'], ['b']]);
});
