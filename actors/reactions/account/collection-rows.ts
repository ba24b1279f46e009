import type { AccountCollectionItem } from '../../../proto/gen/types.js';
import { featureStamps } from '../../../store/federation-tables.js';
import { put, type RowWrite, remove } from '../../../store/port.js';
import { collections, featuredIn } from '../../../store/tables.js';
import { collectionOf } from '../../account/collections.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import { eraOfId } from '../../domain/ids.js';
import { uriKey } from '../../domain/text/uri-key.js';
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
  const where = ({ id: item, account, stampUri }: AccountCollectionItem): RowWrite[] => {
    const key = { account, era: eraOfId(item), item };
    const place = { collectionId: id, owner: self };
    const there = known?.items.get(item);
    const row = there === undefined ? remove(featuredIn, key) : put(featuredIn, key, place);
    if (stampUri === undefined) return [row];
    const stamp = { account, stamp: uriKey(stampUri) };
    return [row, there?.stampUri === stampUri ? put(featureStamps, stamp, place) : remove(featureStamps, stamp)];
  };
  const itself = known === undefined ? remove(collections, row) : put(collections, row, collectionOf(self, id, known));
  return writeAll(effects, [itself, ...items.flatMap(where)]);
}

/** Rows of collections by id, and of the collections that feature each account. */
export const collectionRows: Reaction<AccountState, AccountEvents>['on'] = {
  collectionCreated: written,
  collectionUpdated: written,
  collectionDeleted: written,
  // Removed places first: a place may have another stamp now.
  collectionDescribed: ({ id, items, removed }, happened, effects) =>
    written({ id, items: [...removed, ...items] }, happened, effects),
  collectionItemsAdded: written,
  collectionItemsPermitted: written,
  collectionItemsRemoved: written,
};
