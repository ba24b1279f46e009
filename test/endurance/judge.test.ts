import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differences, streamFaults } from './judge.js';
import { Ledger } from './ledger.js';

const shown = (...lines: string[]) => lines.map((line) => ({ id: line.slice(0, 1), text: line.slice(2) }));

test('a list with exactly the acknowledged statuses has no faults', () => {
  assert.deepEqual(differences('own', ['2 b', '1 a'], shown('2 b', '1 a')), []);
});

test('a lost, an unexpected, a repeated and a misplaced status are each reported', () => {
  assert.deepEqual(differences('own', ['2 b', '1 a'], shown('2 b')), ['own: lost: 1 a']);
  assert.deepEqual(differences('own', ['1 a'], shown('2 b', '1 a')), ['own: not expected: 2 b']);
  assert.deepEqual(differences('own', ['1 a'], shown('1 a', '1 a')), ['own: 1 come twice']);
  assert.deepEqual(differences('own', ['2 b', '1 a'], shown('1 a', '2 b')), ['own: out of order']);
  const [lost, other] = differences('own', ['1 edited'], shown('1 before'));
  assert.deepEqual([lost, other], ['own: lost: 1 edited', 'own: not expected: 1 before']);
});

test('a stream that repeats a post or reorders an author’s posts has faults', async () => {
  const ledger = new Ledger();
  for (const [number, id] of ['1', '2'].entries())
    ledger.posts.push({ author: 'a', number, id, at: '', version: 0, deleted: false });
  const streamed = (...ids: string[]) => ({ updates: () => ids, resumedBefore: () => '1~0.~1' });
  assert.deepEqual(await streamFaults(streamed('1', '2'), ledger), []);
  assert.deepEqual(await streamFaults(streamed('1', '2', '2'), ledger), [
    'stream: 1 posts came twice: 2 after 000000000000000001, 0 above it and 1 late ones',
  ]);
  assert.deepEqual(await streamFaults(streamed('2', '1'), ledger), [
    'stream: out of order: 2, acknowledged at , came before 1, acknowledged at ',
  ]);
});
