import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Unavailable } from '../../../actors/domain/problem.js';
import { systemClock } from '../../../actors/runtime/system.js';
import { Journal } from '../../../store/journal.js';
import { compactStore } from '../../../store/lmdb/compact-store.js';
import { LmdbTables } from '../../../store/lmdb/lmdb-tables.js';

const SECRET = 'the words that nobody shall read again';
const KEPT = 'the words that stay';
const record = (text: string) => ({ atMs: 1, events: [{ type: 'said', payload: Buffer.from(text) }] });

async function holds(folder: string, text: string): Promise<boolean> {
  for (const name of await readdir(folder)) {
    if ((await readFile(join(folder, name))).includes(text)) return true;
  }
  return false;
}

test('after a compaction no file of the store has the bytes of rows that were removed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-compact-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const options = { folder, clock: systemClock, log: { info() {}, warn() {}, error() {} } };
  const tables = await LmdbTables.open(options);
  const journal = new Journal(tables);
  await journal.append('account/1', 0, 1, [record(SECRET), record(KEPT), record(KEPT)]);
  await assert.rejects(compactStore(options), Unavailable, 'not while a process has it open');
  await tables.close();
  const again = await LmdbTables.open(options);
  await new Journal(again).trim('account/1', 0, 2, () => true);
  assert.ok(await holds(folder, SECRET), 'the log still has them');
  // As after a crash: the log has rows that LMDB does not have yet.
  await again.close();
  const { bytes, bytesBefore } = await compactStore(options);
  assert.ok(bytes > 0 && bytes <= bytesBefore);
  assert.equal(await holds(folder, SECRET), false);
  assert.ok(await holds(folder, KEPT));
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name === 'compacted'),
    [],
  );
  const after = await LmdbTables.open(options);
  const found: string[] = [];
  for await (const entry of new Journal(after).read('account/1', 2, 2))
    found.push(Buffer.from(entry.record.events[0]?.payload ?? []).toString());
  assert.deepEqual(found, [KEPT]);
  await new Journal(after).append('account/2', 0, 1, [record('and it goes on')]);
  await after.close();
  const reopened = await LmdbTables.open(options);
  let entries = 0;
  for await (const _ of new Journal(reopened).read('account/2', 0, 2)) entries += 1;
  assert.equal(entries, 1);
  await reopened.close();
});
