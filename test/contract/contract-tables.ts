import { codec } from '../../proto/codec.js';
import type { StoreEventRecord } from '../../proto/gen/types.js';
import { table } from '../../store/table.js';
import { journal } from '../../store/tables.js';

const value = codec('murmuration.store.EventRecord');

/** A table with every type of column, two in the partition and three in the clustering. */
export const rows = table('contract_rows', {
  partition: { owner: 'text', part: 'int' },
  clustering: { word: 'text', at: 'int', item: 'id' },
  value,
});
export const others = table('contract_others', { partition: { owner: 'text', part: 'int' }, clustering: {}, value });
export const brief = table('contract_brief', {
  partition: { owner: 'text' },
  clustering: { at: 'int' },
  value,
  ttlSeconds: 2,
});
export const guarded = table('contract_guarded', {
  partition: { owner: 'text' },
  clustering: { name: 'text' },
  value,
  conditional: true,
});
export const contractTables = [rows, others, brief, guarded, journal];

export const event = (type: string, payload: Uint8Array = new Uint8Array()): StoreEventRecord => ({ type, payload });
