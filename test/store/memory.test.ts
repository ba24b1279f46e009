import { MemoryTables } from '../../store/memory/memory-tables.js';
import { journalContract } from '../contract/journal-contract.js';
import { tablesContract } from '../contract/tables-contract.js';

const open = async () => ({
  tables: new MemoryTables({ nowMs: () => Date.now() }),
  destroy: async () => {},
  runs: 200,
});
tablesContract('memory', open);
journalContract('memory', open);
