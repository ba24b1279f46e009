import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeId } from '../../actors/domain/ids.js';
import { LmdbTables } from '../../store/lmdb/lmdb-tables.js';
import { put, remove } from '../../store/port.js';
import { accounts } from '../../store/tables.js';
import { contractTables } from '../contract/contract-tables.js';
import { journalContract } from '../contract/journal-contract.js';
import { tablesContract } from '../contract/tables-contract.js';

const log = { info: () => {}, warn: () => {}, error: () => {} };

async function open() {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-lmdb-'));
  const start = () => LmdbTables.open({ folder, clock: { nowMs: () => Date.now() }, log, tables: contractTables });
  let tables = await start();
  return {
    tables,
    reopen: async () => {
      await tables.close();
      tables = await start();
      return tables;
    },
    destroy: async () => {
      await tables.close();
      await rm(folder, { recursive: true });
    },
    runs: 100,
  };
}
tablesContract('lmdb', open);
journalContract('lmdb', open);

test('a value that was kept decoded is never older than its row', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-lmdb-'));
  const tables = await LmdbTables.open({ folder, clock: { nowMs: () => Date.now() }, log });
  try {
    const key = { account: makeId(1_767_000_000_000, 1, 0) };
    const record = accounts.value.decode(new Uint8Array());
    const read = () => tables.get(accounts, key);
    await tables.write([put(accounts, key, { ...record, followers: 1 })]);
    const first = await read();
    assert.equal(first?.followers, 1);
    assert.equal(await read(), first, 'the same row is decoded once');
    await tables.write([put(accounts, key, { ...record, followers: 2 })]);
    assert.equal((await read())?.followers, 2);
    await tables.write([remove(accounts, key)]);
    assert.equal(await read(), undefined);
    await tables.write([put(accounts, key, { ...record, followers: 1 })]);
    assert.deepEqual(await read(), first);
  } finally {
    await tables.close();
    await rm(folder, { recursive: true });
  }
});
