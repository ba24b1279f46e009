import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../actors/runtime/system.js';
import { LmdbTables } from '../../../store/lmdb/lmdb-tables.js';
import { contractTables } from '../../contract/contract-tables.js';
import { journalContract } from '../../contract/journal-contract.js';
import { reopened } from '../../contract/reopened.js';
import { tablesContract } from '../../contract/tables-contract.js';

const log = { info: () => {}, warn: () => {}, error: () => {} };

async function open() {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-lmdb-'));
  const start = () => LmdbTables.open({ folder, clock: systemClock, log, tables: contractTables });
  return reopened(await start(), start, () => rm(folder, { recursive: true }), 100);
}
tablesContract('lmdb', open);
journalContract('lmdb', open);
