import { codec } from '../proto/codec.js';
import { table } from './table.js';

// Tables of what this server exchanges with others; store/tables.ts lists them for the adapters.
/**
 * Signing keys (RSA) of local accounts, by account id, and of the instance. Only this table contains them: no journal,
 * no snapshot. A key is written once and never changes.
 */
export const accountKeys = table('account_keys', {
  partition: { owner: 'text' },
  clustering: {},
  value: codec('murmuration.store.KeyPair'),
  conditional: true,
});
