import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { type Events as CollectionEvents, type State as CollectionsState, removal } from './collections.js';

export interface Commands {
  settleFeature: { in: P.AccountSettleFeature; out: P.AccountEmpty };
  endFeature: { in: P.AccountEndFeature; out: P.AccountEmpty };
}
export interface Events {
  collectionItemsPermitted: P.AccountCollectionItemsPermitted;
}
type State = Pick<CollectionsState, 'collections'>;

const missing = () => problem('not_found', 'Record not found');
/** Longest address of a stamp that is stored: those of known servers are shorter. */
const STAMP_CHARS_MAX = 500;

/**
 * Answers of other servers about their accounts in local collections. A refusal of a permitted place revokes it, and an
 * account that has revoked its place is not asked again. Source: FEP-7aa9, Accept, Reject and Delete.
 */
export const permittedPlaces: Slice<State, Commands, Events, Pick<CollectionEvents, 'collectionItemsRemoved'>> = {
  decide: {
    settleFeature(state, { id, item: named, by, stampUri }, about) {
      const item = placeOf(state, id, by, named);
      if (item === undefined || (stampUri !== undefined && stampUri.length > STAMP_CHARS_MAX)) return missing();
      if (stampUri === undefined) {
        const removed = removal(id, [item], item.pending !== true, about);
        return { events: [{ ...removed, refused: true }], reply: {} };
      }
      if (item.stampUri === stampUri) return { events: [], reply: {} };
      const items = [{ id: item.id, account: by, createdAtMs: item.createdAtMs, stampUri }];
      return { events: [{ type: 'collectionItemsPermitted', id, items, atMs: about.nowMs }], reply: {} };
    },
    endFeature(state, { id, by, stampUri }, about) {
      const item = placeOf(state, id, by, undefined);
      if (item?.stampUri !== stampUri) return missing();
      return { events: [removal(id, [item], true, about)], reply: {} };
    },
  },
  apply: {
    collectionItemsPermitted(state, { id, items, atMs }) {
      const known = state.collections.get(id);
      if (known === undefined) return;
      known.updatedAtMs = atMs;
      for (const item of items) known.items.set(item.id, item);
    },
  },
  commands: {
    settleFeature: {
      in: codec('murmuration.account.SettleFeature'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
    },
    endFeature: {
      in: codec('murmuration.account.EndFeature'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
      remote: 'answers',
    },
  },
  events: {
    collectionItemsPermitted: { codec: codec('murmuration.account.CollectionItemsPermitted'), invalidates: true },
  },
};

/** Returns the place of an account of another server. Local ones leave by themselves. */
function placeOf({ collections }: State, id: string, by: string, named: string | undefined) {
  for (const item of collections.get(id)?.items.values() ?? []) {
    const isAsked = item.pending === true || item.stampUri !== undefined;
    if (item.account === by && isAsked && (named === undefined || named === item.id)) return item;
  }
  return undefined;
}
