import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { LazyMap, LazySet } from '../runtime/state/lazy-collections.js';
import {
  type Events as CollectionEvents,
  type State as CollectionsState,
  collectionOf,
  deletion,
  isSame,
  NOTHING_SAID,
} from './collections.js';

export interface Commands {
  describeCollection: { in: P.AccountDescribeCollection; out: P.AccountEmpty };
  forgetCollection: { in: P.AccountCollectionUri; out: P.AccountEmpty };
  collectionAt: { in: P.AccountCollectionUri; out: P.AccountCollection };
}
export interface Events {
  collectionDescribed: P.AccountCollectionDescribed;
}
type State = Pick<CollectionsState, 'collections'>;

/** Collections of one account of another server: twice those that Mastodon permits. Bounds its activation and rows. */
export const REMOTE_COLLECTIONS_MAX = 20;
/** Accounts in one of them: twice those that Mastodon permits. Each may cost two fetches. */
export const REMOTE_ITEMS_MAX = 50;

const missing = () => problem('not_found', 'Record not found');

/** Collections of people of an account of another server. The stamps of all accounts in them are proven. */
export const remoteCollections: Slice<State, Commands, Events, Pick<CollectionEvents, 'collectionDeleted'>> = {
  decide: {
    describeCollection(state, { uri, url, text = NOTHING_SAID, items: stated, publishedMs, updatedMs }, about) {
      const [known, before] = knownAt(state, uri);
      if (before === undefined && state.collections.size >= REMOTE_COLLECTIONS_MAX)
        return problem('limit_reached', 'Too many collections');
      // An older version may arrive later.
      if (before !== undefined && updatedMs < before.updatedAtMs) return { events: [], reply: {} };
      const held = [...(before?.items.values() ?? [])];
      const once = [...new Map(stated.toReversed().map((item) => [item.account, item])).values()].toReversed();
      const items = once.slice(0, REMOTE_ITEMS_MAX).map((item) => {
        const same = held.find((one) => one.uri === item.uri && one.account === item.account);
        return {
          ...item,
          id: same?.id ?? about.newId(),
          createdAtMs: same?.createdAtMs ?? (item.createdAtMs || about.nowMs),
        };
      });
      const removed = held.filter((one) => !items.some((item) => isSamePlace(item, one)));
      const isUnchanged =
        before !== undefined && isSame(before.text, text) && removed.length === 0 && items.length === held.length;
      if (isUnchanged && before.updatedAtMs === updatedMs) return { events: [], reply: {} };
      const times = { createdAtMs: before?.createdAtMs ?? (publishedMs || about.nowMs), updatedAtMs: updatedMs };
      const id = known ?? about.newId();
      return {
        events: [{ type: 'collectionDescribed', id, uri, url, text, items, removed, ...times }],
        reply: {},
      };
    },
    forgetCollection(state, { uri }) {
      const [id, known] = knownAt(state, uri);
      return { events: id === undefined || known === undefined ? [] : [deletion(id, known)], reply: {} };
    },
    collectionAt(state, { uri }, { self }) {
      const [id, known] = knownAt(state, uri);
      return id === undefined || known === undefined ? missing() : { events: [], reply: collectionOf(self, id, known) };
    },
  },
  apply: {
    collectionDescribed(state, { id, uri, url, text = NOTHING_SAID, items, createdAtMs, updatedAtMs }) {
      const left = state.collections.get(id)?.left ?? new LazySet<string>();
      const places = new LazyMap(items.map((item) => [item.id, item]));
      state.collections.set(id, { text, createdAtMs, updatedAtMs, revision: 0, items: places, left, uri, url });
    },
  },
  commands: {
    describeCollection: {
      in: codec('murmuration.account.DescribeCollection'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
      remote: 'only',
    },
    forgetCollection: {
      in: codec('murmuration.account.CollectionUri'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: false,
      remote: 'only',
    },
    collectionAt: {
      in: codec('murmuration.account.CollectionUri'),
      out: codec('murmuration.account.Collection'),
      repeats: 'query',
      local: false,
      remote: 'only',
    },
  },
  events: {
    collectionDescribed: { codec: codec('murmuration.account.CollectionDescribed'), invalidates: true },
  },
};

const isSamePlace = (one: P.AccountCollectionItem, other: P.AccountCollectionItem): boolean =>
  one.id === other.id && one.stampUri === other.stampUri;

/** Returns the id and the state of a collection by its address; both undefined if it is not known. */
export function knownAt({ collections }: Readonly<State>, uri: string) {
  for (const [id, known] of collections) if (known.uri === uri) return [id, known] as const;
  return [undefined, undefined] as const;
}
