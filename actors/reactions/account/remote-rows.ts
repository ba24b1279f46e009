import { deletedUris, knownDomains, knownUris } from '../../../store/federation-tables.js';
import { put, type ReadTables, type RowWrite, remove } from '../../../store/port.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import { uriKey } from '../../domain/text/uri-key.js';
import type { Reaction } from '../../runtime/kind.js';
import { nameRows } from '../word-rows.js';

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
    await effects.write([accountRow(state), known, ...(await nameRows(tables, state))]);
  },
  async received({ status }, { self, state }, effects) {
    if (status?.origin === undefined) return;
    const { id, conversationId, origin } = status;
    // An effect that is repeated after the deletion must not restore the address.
    const isGone = state.received.get(origin.uri)?.id === '';
    const known = put(knownUris, { uri: uriKey(origin.uri) }, { id, conversationId, accountId: self });
    await effects.write(isGone ? [accountRow(state)] : [accountRow(state), known]);
  },
  receivedForgotten({ uri, atMs }, { state }, effects) {
    const key = { uri: uriKey(uri) };
    return effects.write([accountRow(state), remove(knownUris, key), put(deletedUris, key, { atMs })]);
  },
});
