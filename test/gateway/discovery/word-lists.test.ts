import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../actors/domain/ids.js';
import { WORD_BUCKET_MS, wordBucket } from '../../../actors/domain/text/words.js';
import { WordLists } from '../../../gateway/discovery/word-lists.js';
import { CachedTables } from '../../../store/cache/cached-tables.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { put, remove } from '../../../store/port.js';
import { statusIndex } from '../../../store/tables.js';
import { VirtualClock } from '../../kit/time/virtual-clock.js';

const NOW_MS = 40 * WORD_BUCKET_MS + 1_000;
const idAt = (atMs: number) => makeId(atMs, 1, 0);
const keyOf = (word: string, status: string) => ({ word, bucket: wordBucket(status), status });
const row = (word: string, status: string) => put(statusIndex, keyOf(word, status), { accountId: idAt(1) });

function world(isTold = true) {
  const tables = new CachedTables(new MemoryTables(), { ranges: [statusIndex] });
  const clock = new VirtualClock(undefined, NOW_MS);
  const words = new WordLists(
    tables,
    clock,
    isTold ? (listener) => tables.onIndexed(statusIndex, listener) : undefined,
  );
  return { tables, clock, words };
}

test('a word has one list over all buckets, which stays the same object until somebody writes to the word', async () => {
  const { tables, words } = world();
  const [old, recent] = [idAt(30 * WORD_BUCKET_MS), idAt(NOW_MS - 500)];
  await tables.write([row('bird', old), row('bird', recent), row('fish', recent)]);
  const first = await words.of('bird');
  assert.deepEqual(first, [recent, old]);
  await tables.write([remove(statusIndex, keyOf('fish', recent))]);
  assert.equal(await words.of('bird'), first);
  await tables.write([remove(statusIndex, keyOf('bird', old))]);
  assert.deepEqual(await words.of('bird'), [recent]);
  assert.deepEqual(await words.of('fish'), []);
});

test('a list read during a write is not cached', async () => {
  const { tables, words } = world();
  const [old, recent] = [idAt(30 * WORD_BUCKET_MS), idAt(NOW_MS - 500)];
  await tables.write([row('bird', old)]);
  const reading = words.of('bird');
  await tables.write([row('bird', recent)]);
  await reading;
  assert.deepEqual(await words.of('bird'), [recent, old]);
});

test('a new bucket is read as soon as it exists', async () => {
  const { tables, clock, words } = world();
  assert.deepEqual(await words.of('bird'), []);
  await clock.advance(WORD_BUCKET_MS);
  const later = idAt(clock.nowMs());
  await tables.write([row('bird', later)]);
  assert.deepEqual(await words.of('bird'), [later]);
});

test('lists are not cached without notifications of writes', async () => {
  const { tables, words } = world(false);
  await tables.write([row('bird', idAt(30 * WORD_BUCKET_MS))]);
  assert.notEqual(await words.of('bird'), await words.of('bird'));
});
