import type { StoreStatusRecord } from '../../../proto/gen/types.js';
import { deletedUris, knownDomains, knownUris } from '../../../store/federation-tables.js';
import { put, type ReadTables, type RowWrite, remove } from '../../../store/port.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import { uriKey } from '../../domain/text/uri-key.js';
import type { Reaction } from '../../runtime/kind.js';
import { nameRows } from '../word-rows.js';
import { remoteListings } from './moderation-rows.js';

type AccountRow = (state: Readonly<AccountState>) => RowWrite;

/**
 * Rows of an account of another server, and of the addresses by which its statuses are known. The claim of its name
 * (remoteNamesOf) leads to the account itself.
 */
export const remoteRows = (
  tables: Pick<ReadTables, 'range'>,
  accountRow: AccountRow,
): Reaction<AccountState, AccountEvents>['on'] => ({
  async described({ actor }, { state }, effects) {
    if (actor === undefined) return;
    const domain = state.origin?.domain ?? '';
    const known = put(knownDomains, { century: 0, domain }, {});
    await effects.write([accountRow(state), known, ...remoteListings(state), ...(await nameRows(tables, state))]);
  },
  async received({ status }, { state }, effects) {
    if (status?.origin !== undefined) await effects.write([accountRow(state), ...knownRows(state, status)]);
  },
  receivedForgotten({ uri, atMs }, { state }, effects) {
    const key = { uri: uriKey(uri) };
    return effects.write([accountRow(state), remove(knownUris, key), put(deletedUris, key, { atMs })]);
  },
});

/** Returns the row of the address of a status. An effect that is repeated after its deletion must not restore it. */
export function knownRows(
  { id: accountId, received }: Readonly<AccountState>,
  { id, conversationId, origin }: StoreStatusRecord,
): RowWrite[] {
  if (origin === undefined || received.get(origin.uri)?.id === '') return [];
  return [put(knownUris, { uri: uriKey(origin.uri) }, { id, conversationId, accountId })];
}
