import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedNumbers } from '../../../store/cache/changed-numbers.js';

const tags = ['a'];
const row = { name: 'ada', count: 1, other: 2, tags, card: { url: 'x' } };

test('differing numbers are returned', () => {
  assert.deepEqual(changedNumbers(row, { ...row, count: 5 }), [{ name: 'count', number: 5 }]);
  assert.deepEqual(changedNumbers(row, { ...row, tags: ['a'] }), []);
});

test('any other difference invalidates the row', () => {
  assert.equal(changedNumbers(row, { ...row, count: 5, name: 'ben' }), undefined);
  assert.equal(changedNumbers(row, { ...row, card: { url: 'x' } }), undefined);
  assert.equal(changedNumbers(row, { ...row, tags: ['b'] }), undefined);
  assert.equal(changedNumbers(row, { ...row, more: 1 }), undefined);
  const { card: _card, ...less } = row;
  assert.equal(changedNumbers(row, less), undefined);
});
