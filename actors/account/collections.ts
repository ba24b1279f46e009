import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { type Problem, problem } from '../domain/problem.js';
import { countChars } from '../domain/text/plain-text.js';
import type { Ctx, Recorded, Slice } from '../runtime/slice.js';
import { LazyMap, LazySet } from '../runtime/state/lazy-collections.js';
import type { RelationState } from './relations.js';

export interface Commands {
  createCollection: { in: P.AccountCreateCollection; out: P.AccountCollection };
  updateCollection: { in: P.AccountUpdateCollection; out: P.AccountCollection };
  deleteCollection: { in: P.AccountCollectionId; out: P.AccountEmpty };
  addToCollection: { in: P.AccountAddToCollection; out: P.AccountCollectionItem };
  removeFromCollection: { in: P.AccountRemoveFromCollection; out: P.AccountEmpty };
  leaveCollection: { in: P.AccountLeaveCollection; out: P.AccountEmpty };
  collections: { in: P.AccountEmpty; out: P.AccountCollectionIds };
}
export interface Events {
  collectionCreated: P.AccountCollectionCreated;
  collectionUpdated: P.AccountCollectionUpdated;
  collectionDeleted: P.AccountCollectionDeleted;
  collectionItemsAdded: P.AccountCollectionItemsAdded;
  collectionItemsRemoved: P.AccountCollectionItemsRemoved;
}

export interface CollectionState {
  text: P.AccountCollectionText;
  readonly createdAtMs: number;
  updatedAtMs: number;
  /** Number of changes to the text. */
  revision: number;
  /** Items by id, oldest first. At most COLLECTION_ITEMS_MAX. */
  readonly items: LazyMap<string, P.AccountCollectionItem>;
  /** Accounts that left the collection themselves. At most LEFT_REMEMBERED_MAX, the latest. */
  readonly left: LazySet<string>;
  /** Addresses of a collection of another server. */
  readonly uri?: string;
  readonly url?: string;
}
export interface State extends RelationState {
  /** Collections by id, oldest first. At most COLLECTIONS_MAX. */
  readonly collections: LazyMap<string, CollectionState>;
}

/**
 * Collections of one account. Source: Mastodon's documentation of Collections, the default of a role's
 * collection_limit.
 */
export const COLLECTIONS_MAX = 10;
/** Source: Mastodon's documentation of Collections. */
export const COLLECTION_ITEMS_MAX = 25;
/** Source: Mastodon's documentation of `POST /api/v1/collections`. */
export const COLLECTION_NAME_CHARS_MAX = 40;
/** Source: the same. */
export const COLLECTION_DESCRIPTION_CHARS_MAX = 100;
/** Accounts stored as having left a collection: four times the accounts that it can contain. Bounds its memory. */
export const LEFT_REMEMBERED_MAX = 100;

const missing = (): Problem => problem('not_found', 'Record not found');

/**
 * Named collections of accounts that the owner recommends. An account is added only with its consent, and may leave.
 */
export const collections: Slice<State, Commands, Events> = {
  decide: {
    createCollection(state, { text, accounts }, { self, nowMs, newId }) {
      if (state.collections.size >= COLLECTIONS_MAX)
        return problem('limit_reached', `Validation failed: You cannot have more than ${COLLECTIONS_MAX} collections`);
      const said = text ?? NOTHING_SAID;
      const wanted = [...new Map(accounts.map((one) => [one.account, one])).values()];
      const refused = refusedText(said) ?? crowded(wanted.length);
      if (refused !== undefined) return refused;
      for (const one of wanted) {
        const refusal = unfeaturable(state, one, self);
        if (refusal !== undefined) return refusal;
      }
      const id = newId();
      const items = wanted.map((one) => placeOf(one, newId(), nowMs));
      const created: Recorded<Events> = { type: 'collectionCreated', id, text: said, atMs: nowMs };
      return {
        events: items.length === 0 ? [created] : [created, { type: 'collectionItemsAdded', id, items }],
        reply: { id, owner: self, text: said, items, createdAtMs: nowMs, updatedAtMs: nowMs },
      };
    },
    updateCollection(state, { id, ...changes }, { self, nowMs }) {
      const known = state.collections.get(id);
      if (known === undefined) return missing();
      const text = changedText(known.text, changes);
      const refused = refusedText(text);
      if (refused !== undefined) return refused;
      const reply = { ...collectionOf(self, id, known), text };
      if (isSame(text, known.text)) return { events: [], reply };
      const told = !isSame({ ...text, ...UNTOLD }, { ...known.text, ...UNTOLD });
      const listing = text.discoverable === known.text.discoverable ? {} : { listingChanged: true };
      const event = { id, text, told, revision: known.revision + 1, atMs: nowMs, ...listing };
      return { events: [{ type: 'collectionUpdated', ...event }], reply: { ...reply, updatedAtMs: nowMs } };
    },
    deleteCollection(state, { id }) {
      const known = state.collections.get(id);
      return known === undefined ? missing() : { events: [deletion(id, known)], reply: {} };
    },
    addToCollection(state, { id, featured }, { self, nowMs, newId }) {
      const known = state.collections.get(id);
      if (known === undefined || featured === undefined) return missing();
      const { account } = featured;
      for (const item of known.items.values()) if (item.account === account) return taken();
      const isOut = known.left.has(account) ? unwilling() : unfeaturable(state, featured, self);
      const refused = isOut ?? crowded(known.items.size + 1);
      if (refused !== undefined) return refused;
      const item = placeOf(featured, newId(), nowMs);
      return { events: [{ type: 'collectionItemsAdded', id, items: [item] }], reply: item };
    },
    removeFromCollection(state, { id, item }, about) {
      const found = state.collections.get(id)?.items.get(item);
      return found === undefined ? missing() : { events: [removal(id, [found], false, about)], reply: {} };
    },
    leaveCollection(state, { id, item, by }, about) {
      const found = state.collections.get(id)?.items.get(item);
      if (found === undefined) return missing();
      if (found.account !== by) return problem('forbidden', 'This action is not allowed');
      return { events: [removal(id, [found], true, about)], reply: {} };
    },
    collections: (state) => ({ events: [], reply: { ids: [...state.collections.keys()] } }),
  },
  apply: {
    collectionCreated(state, { id, text = NOTHING_SAID, atMs }) {
      const empty = { items: new LazyMap<string, P.AccountCollectionItem>(), left: new LazySet<string>() };
      state.collections.set(id, { text, createdAtMs: atMs, updatedAtMs: atMs, revision: 0, ...empty });
    },
    collectionUpdated(state, { id, text = NOTHING_SAID, revision, atMs }) {
      const known = state.collections.get(id);
      if (known === undefined) return;
      Object.assign(known, { text, revision, updatedAtMs: atMs });
    },
    collectionDeleted: (state, { id }) => void state.collections.delete(id),
    collectionItemsAdded(state, { id, items }) {
      const known = state.collections.get(id);
      if (known === undefined) return;
      for (const item of items) {
        known.items.set(item.id, item);
        known.updatedAtMs = item.createdAtMs;
      }
    },
    collectionItemsRemoved(state, { id, items, forGood, atMs }) {
      const known = state.collections.get(id);
      if (known === undefined) return;
      // Only its own server dates a collection of another one.
      if (known.uri === undefined) known.updatedAtMs = atMs;
      for (const item of items) {
        known.items.delete(item.id);
        if (forGood) known.left.add(item.account);
      }
      for (const oldest of known.left) {
        if (known.left.size <= LEFT_REMEMBERED_MAX) break;
        known.left.delete(oldest);
      }
    },
  },
  commands: {
    createCollection: {
      in: codec('murmuration.account.CreateCollection'),
      out: codec('murmuration.account.Collection'),
      repeats: 'keyed',
      local: true,
    },
    updateCollection: {
      in: codec('murmuration.account.UpdateCollection'),
      out: codec('murmuration.account.Collection'),
      repeats: 'idempotent',
      local: true,
    },
    deleteCollection: {
      in: codec('murmuration.account.CollectionId'),
      out: codec('murmuration.account.Empty'),
      repeats: 'keyed',
      local: true,
    },
    addToCollection: {
      in: codec('murmuration.account.AddToCollection'),
      out: codec('murmuration.account.CollectionItem'),
      repeats: 'keyed',
      local: true,
    },
    removeFromCollection: {
      in: codec('murmuration.account.RemoveFromCollection'),
      out: codec('murmuration.account.Empty'),
      repeats: 'keyed',
      local: true,
    },
    leaveCollection: {
      in: codec('murmuration.account.LeaveCollection'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
      remote: 'ignores',
    },
    collections: {
      in: codec('murmuration.account.Empty'),
      out: codec('murmuration.account.CollectionIds'),
      repeats: 'query',
      local: false,
      remote: 'answers',
    },
  },
  events: {
    collectionCreated: { codec: codec('murmuration.account.CollectionCreated'), invalidates: false },
    collectionUpdated: { codec: codec('murmuration.account.CollectionUpdated'), invalidates: true },
    collectionDeleted: { codec: codec('murmuration.account.CollectionDeleted'), invalidates: true, forgets: true },
    collectionItemsAdded: { codec: codec('murmuration.account.CollectionItemsAdded'), invalidates: false },
    collectionItemsRemoved: { codec: codec('murmuration.account.CollectionItemsRemoved'), invalidates: true },
  },
};

/** Returns the place of an account in a collection. One of another server is pending until that server permits it. */
const placeOf = ({ account, asked }: P.AccountFeatured, id: string, nowMs: number): P.AccountCollectionItem => ({
  ...{ id, account, createdAtMs: nowMs },
  ...(asked === true ? { pending: true } : {}),
});

/** Returns a collection as other actors and the gateway read it. */
export function collectionOf(owner: string, id: string, known: CollectionState): P.AccountCollection {
  const { text, items, createdAtMs, updatedAtMs, uri, url } = known;
  const origin = uri === undefined ? {} : { uri, url };
  return { id, owner, text, items: [...items.values()], createdAtMs, updatedAtMs, ...origin };
}

/** Returns the events that remove an account from all of the owner's collections. */
export function uncollected(
  state: Readonly<State>,
  account: string,
  about: Pick<Ctx, 'nowMs'>,
): Recorded<Pick<Events, 'collectionItemsRemoved'>>[] {
  const events: Recorded<Pick<Events, 'collectionItemsRemoved'>>[] = [];
  for (const [id, { items }] of state.collections) {
    const theirs = [...items.values()].filter((item) => item.account === account);
    if (theirs.length > 0) events.push(removal(id, theirs, false, about));
  }
  return events;
}

/** Returns the events that delete all of the owner's collections. */
export function collectionsEnded({ collections: all }: Readonly<State>): Recorded<Pick<Events, 'collectionDeleted'>>[] {
  return Array.from(all, ([id, known]) => deletion(id, known));
}

/** Returns the event that deletes a collection. */
export const deletion = (id: string, { items, text }: CollectionState) =>
  ({ type: 'collectionDeleted', id, items: [...items.values()], discoverable: text.discoverable }) as const;

/** Returns the event that removes accounts from a collection. `forGood`: they cannot be added again. */
export function removal(
  id: string,
  items: readonly P.AccountCollectionItem[],
  forGood: boolean,
  { nowMs }: { nowMs: number },
) {
  return { type: 'collectionItemsRemoved', id, items, forGood, atMs: nowMs } as const;
}

/** The text of a collection that states nothing. */
export const NOTHING_SAID: P.AccountCollectionText = {
  name: '',
  description: '',
  language: '',
  tag: '',
  sensitive: false,
  discoverable: false,
};
/** Fields whose change does not notify the accounts in the collection. */
const UNTOLD = { language: '', discoverable: true } as const;

function changedText(before: P.AccountCollectionText, changes: Omit<P.AccountUpdateCollection, 'id'>) {
  return {
    name: changes.name ?? before.name,
    description: changes.description ?? before.description,
    language: changes.language ?? before.language,
    tag: changes.tag ?? before.tag,
    sensitive: changes.sensitive ?? before.sensitive,
    discoverable: changes.discoverable ?? before.discoverable,
  };
}

/** Returns true if two descriptions are equal. */
export function isSame(one: P.AccountCollectionText, other: P.AccountCollectionText): boolean {
  return (Object.keys(NOTHING_SAID) as (keyof P.AccountCollectionText)[]).every((key) => one[key] === other[key]);
}

/**
 * Returns the refusal to feature an account, if there is one. The account's consent decides; `followers` requires that
 * the owner follows the account. The refusal does not reveal a block.
 */
function unfeaturable(state: Readonly<State>, { account, consent }: P.AccountFeatured, self: string) {
  if (account === self) return undefined;
  if (state.blocking.has(account) || state.blockedBy.has(account)) return unwilling();
  if (consent === 'public') return undefined;
  return consent === 'followers' && state.following.get(account)?.pending === false ? undefined : unwilling();
}

function refusedText({ name, description }: P.AccountCollectionText): Problem | undefined {
  if (name.trim() === '') return refusal('name', 'Name', 'ERR_BLANK', "can't be blank");
  if (countChars(name) > COLLECTION_NAME_CHARS_MAX)
    return refusal('name', 'Name', 'ERR_TOO_LONG', `is too long (maximum is ${COLLECTION_NAME_CHARS_MAX} characters)`);
  if (countChars(description) <= COLLECTION_DESCRIPTION_CHARS_MAX) return undefined;
  const long = `is too long (maximum is ${COLLECTION_DESCRIPTION_CHARS_MAX} characters)`;
  return refusal('description', 'Description', 'ERR_TOO_LONG', long);
}

function crowded(items: number): Problem | undefined {
  if (items <= COLLECTION_ITEMS_MAX) return undefined;
  return problem('limit_reached', `Validation failed: A collection has at most ${COLLECTION_ITEMS_MAX} accounts`);
}

const taken = () => refusal('account', 'Account', 'ERR_TAKEN', 'has already been taken');
const unwilling = () => problem('forbidden', 'This action is not allowed');

function refusal(field: string, shown: string, error: string, description: string): Problem {
  return problem('invalid', `Validation failed: ${shown} ${description}`, { [field]: [{ error, description }] });
}
