import assert from 'node:assert/strict';
import { test } from 'node:test';
import { popularLevel } from '../../../actors/domain/popular.js';

test('a status is recorded as popular each time its marks double, from four on', () => {
  const noted = Array.from({ length: 40 }, (_, marks) => marks).filter((marks) => popularLevel(marks) !== undefined);
  assert.deepEqual(noted, [4, 8, 16, 32]);
  assert.deepEqual([popularLevel(4), popularLevel(2 ** 18)], [2, 18]);
});
