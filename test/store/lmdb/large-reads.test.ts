import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Unavailable } from '../../../actors/domain/problem.js';
import { systemClock } from '../../../actors/runtime/system.js';
import { LmdbTables } from '../../../store/lmdb/lmdb-tables.js';
import { put } from '../../../store/port.js';
import { contractTables, event, others } from '../../contract/contract-tables.js';

const log = { info: () => {}, warn: () => {}, error: () => {} };
const ROWS = 1_000;
/** Rows of one write: fewer than its maximum. */
const WRITE_ROWS = 100;
/** A read of so many rows has at least this many steps. */
const STEPS_MIN = 5;
const keys = Array.from({ length: ROWS }, (_, part) => ({ owner: 'alice', part }));
/** Every third row is missing. */
const values = keys.map(({ part }) => (part % 3 === 0 ? undefined : event(`${part}`)));

async function filled(folder: string): Promise<LmdbTables> {
  const tables = await LmdbTables.open({ folder, clock: systemClock, log, tables: contractTables });
  const writes = values.flatMap((value, part) => (value ? [put(others, { owner: 'alice', part }, value)] : []));
  for (let from = 0; from < writes.length; from += WRITE_ROWS)
    await tables.write(writes.slice(from, from + WRITE_ROWS));
  return tables;
}

test('a read of many rows leaves turns of the event loop to others, and misses no row', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-reads-'));
  const tables = await filled(folder);
  let turns = 0;
  let isRead = false;
  const count = () => {
    if (isRead) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  const found = await tables.getMany(others, keys);
  isRead = true;
  assert.deepEqual(
    found.map((value) => value?.type),
    values.map((value) => value?.type),
  );
  assert.ok(turns >= STEPS_MIN, `${turns} turns`);
  await tables.close();
  await rm(folder, { recursive: true });
});

test('a read of many rows is refused if the store is closed meanwhile', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-reads-'));
  const tables = await filled(folder);
  const reading = assert.rejects(tables.getMany(others, keys), Unavailable);
  await Promise.all([reading, tables.close()]);
  await rm(folder, { recursive: true });
});
