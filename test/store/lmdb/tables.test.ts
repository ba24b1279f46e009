import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../actors/runtime/system.js';
import { LmdbTables } from '../../../store/lmdb/lmdb-tables.js';
import { contractTables } from '../../contract/contract-tables.js';
import { journalContract } from '../../contract/journal-contract.js';
import { tablesContract } from '../../contract/tables-contract.js';

const log = { info: () => {}, warn: () => {}, error: () => {} };

async function open() {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-lmdb-'));
  const start = () => LmdbTables.open({ folder, clock: systemClock, log, tables: contractTables });
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
