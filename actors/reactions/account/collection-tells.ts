import type { AccountNotify } from '../../../proto/gen/types.js';
import type { AccountCommands, AccountEvents, AccountState } from '../../account/slices.js';
import type { Effects, Happened, Reaction } from '../../runtime/kind.js';

/** Notifies the accounts in a collection. It does so one after the other, because they are few. */
async function tell(
  accounts: Iterable<string>,
  what: Pick<AccountNotify, 'type' | 'collectionId' | 'edit'>,
  { self, state }: Happened<AccountState>,
  effects: Effects,
): Promise<void> {
  const limited = state.moderation.silenced ? true : undefined;
  const notice: AccountCommands['notify']['in'] = { ...what, from: self, limited };
  for (const account of accounts) if (account !== self) await effects.tell('account', account, 'notify', notice);
}

/** Notifications about collections, after the reply. */
export const collectionNotices: Reaction<AccountState, AccountEvents>['on'] = {
  collectionItemsAdded({ id, items }, happened, effects) {
    // Skips accounts that have been removed meanwhile.
    const there = items.filter((item) => happened.state.collections.get(id)?.items.has(item.id));
    const accounts = there.map(({ account }) => account);
    return tell(accounts, { type: 'added_to_collection', collectionId: id }, happened, effects);
  },
  collectionUpdated({ id, told, revision }, happened, effects) {
    const known = happened.state.collections.get(id);
    if (!told || known === undefined) return undefined;
    const accounts = Array.from(known.items.values(), ({ account }) => account);
    return tell(accounts, { type: 'collection_update', collectionId: id, edit: revision }, happened, effects);
  },
};
