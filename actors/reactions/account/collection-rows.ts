import type { AccountCollectionItem } from '../../../proto/gen/types.js';
import { put, type RowWrite, remove } from '../../../store/port.js';
import { collections, featuredIn } from '../../../store/tables.js';
import { collectionOf } from '../../account/collections.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import { eraOfId } from '../../domain/ids.js';
import type { Effects, Happened, Reaction } from '../../runtime/kind.js';
import { writeAll } from '../write-all.js';

const NO_ITEMS: readonly AccountCollectionItem[] = [];

/** Writes rows from the current state, so that a repeated effect ends with the correct rows. */
function written(
  { id, items = NO_ITEMS }: { readonly id: string; readonly items?: readonly AccountCollectionItem[] },
  { self, state }: Happened<AccountState>,
  effects: Effects,
): Promise<void> {
  const known = state.collections.get(id);
  const row = { collection: id };
  const where = ({ id: item, account }: AccountCollectionItem): RowWrite => {
    const key = { account, era: eraOfId(item), item };
    return known?.items.has(item) ? put(featuredIn, key, { collectionId: id, owner: self }) : remove(featuredIn, key);
  };
  const itself = known === undefined ? remove(collections, row) : put(collections, row, collectionOf(self, id, known));
  return writeAll(effects, [itself, ...items.map(where)]);
}

/** Rows of collections by id, and of the collections that feature each account. */
export const collectionRows: Reaction<AccountState, AccountEvents>['on'] = {
  collectionCreated: written,
  collectionUpdated: written,
  collectionDeleted: written,
  collectionItemsAdded: written,
  collectionItemsRemoved: written,
};
