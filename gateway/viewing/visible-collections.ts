import { isProblem, type Problem } from '../../actors/domain/problem.js';
import { isThere } from '../../actors/domain/standing.js';
import type { AccountCollection, AccountCollectionItem, StoreAccountRecord } from '../../proto/gen/types.js';
import { collections } from '../../store/tables.js';
import { type Soon, soon } from '../paging/soon.js';
import { ACCOUNT_PLACES, showsAccount } from './judge-accounts.js';
import { BLOCKED, BLOCKS_VIEWER, type Lens } from './lens.js';
import { loadAccounts, type People, PeopleAtHand } from './people-at-hand.js';
import type { ReadServices } from './read-services.js';
import { lensOf, notFound } from './visible.js';

/**
 * A collection that its viewer may see, with the items for that viewer. Only this file creates it, and renderers accept
 * nothing else.
 */
export interface VisibleCollection {
  readonly record: AccountCollection;
  readonly owner: StoreAccountRecord;
  /** The record's own array if no item is hidden. */
  readonly items: readonly AccountCollectionItem[];
}

export interface CollectionOptions {
  /** The viewer's lens. Absent: the viewer's actor is queried once. */
  readonly lens?: Lens;
  /** Also leaves out collections of owners whom the viewer blocks, for lists; single collections stay visible. */
  readonly hideBlocked?: boolean;
}

/**
 * Converts stored collections to visible ones, in their order; undefined if the viewer may not see one. There is no
 * other way.
 */
export function visibleCollections(
  services: Pick<ReadServices, 'lenses' | 'tables' | 'limits'>,
  viewer: string | undefined,
  records: readonly (AccountCollection | undefined)[],
  { lens: known, hideBlocked }: CollectionOptions = {},
): Soon<(VisibleCollection | undefined)[]> {
  return soon(known ?? lensOf(services, viewer), (lens) => {
    const atHand = new PeopleAtHand(services);
    const seen = seenBy(records, lens, hideBlocked === true, atHand);
    if (atHand.complete) return seen;
    return soon(loadAccounts(services, concerned(records)), (people) =>
      seenBy(records, lens, hideBlocked === true, people),
    );
  });
}

function concerned(records: readonly (AccountCollection | undefined)[]): string[] {
  const ids = new Set<string>();
  for (const record of records) {
    if (record === undefined) continue;
    ids.add(record.owner);
    for (const { account } of record.items) ids.add(account);
  }
  return [...ids];
}

function seenBy(
  records: readonly (AccountCollection | undefined)[],
  lens: Lens,
  hideBlocked: boolean,
  people: People,
): (VisibleCollection | undefined)[] {
  // The same accounts are in many collections of one owner.
  const known = new Map<string, boolean>();
  const shows = ({ account: id }: AccountCollectionItem) => {
    let isKnown = known.get(id);
    if (isKnown === undefined) {
      const account = people.get(id);
      isKnown = account !== undefined && showsAccount(account, lens, ACCOUNT_PLACES.collection);
      known.set(id, isKnown);
    }
    return isKnown;
  };
  return records.map((record) => {
    const owner = record && people.get(record.owner);
    if (record === undefined || owner === undefined || !isThere(owner)) return undefined;
    const hiding = hideBlocked ? BLOCKED | BLOCKS_VIEWER : BLOCKS_VIEWER;
    if ((lens.bits(owner.id) & hiding) !== 0) return undefined;
    const { items } = record;
    // The owner alone sees whom another server has not permitted to be shown yet.
    const isShown = (item: AccountCollectionItem) =>
      (item.pending !== true || lens.viewer === record.owner) && shows(item);
    return { record, owner, items: items.every(isShown) ? items : items.filter(isShown) };
  });
}

/** Loads visible collections by id, in the ids' order. */
export function collectionsById(
  services: Pick<ReadServices, 'lenses' | 'tables' | 'limits'>,
  viewer: string | undefined,
  ids: readonly string[],
  options: CollectionOptions = {},
): Soon<(VisibleCollection | undefined)[]> {
  const held = ids.map((collection) => services.tables.peekId?.(collections, collection));
  const records = held.includes(undefined)
    ? services.tables.getMany(
        collections,
        ids.map((collection) => ({ collection })),
      )
    : held;
  return soon(records, (found) => visibleCollections(services, viewer, found, options));
}

/** Returns one collection, or a refusal that does not reveal the reason. */
export function visibleCollection(
  services: Pick<ReadServices, 'lenses' | 'tables' | 'limits'>,
  viewer: string | undefined,
  id: string,
): Soon<VisibleCollection | Problem> {
  return soon(collectionsById(services, viewer, [id]), ([found]) => found ?? notFound());
}

/** Returns a collection that the viewer just created or changed. */
export async function ownCollection(
  services: Pick<ReadServices, 'lenses' | 'tables' | 'limits'>,
  viewer: string,
  reply: AccountCollection | Problem,
): Promise<VisibleCollection | Problem> {
  if (isProblem(reply)) return reply;
  const [found] = await visibleCollections(services, viewer, [reply]);
  return found ?? notFound();
}

/** Collections to which statuses link, by id. */
export type Tagged = ReadonlyMap<string, VisibleCollection>;
const NO_COLLECTIONS: Tagged = new Map();

/** Loads collections by id, without those that the viewer may not see or whose owner the viewer blocks. */
export function taggedCollections(
  services: Pick<ReadServices, 'lenses' | 'tables' | 'limits'>,
  viewer: string | undefined,
  ids: readonly string[],
): Soon<Tagged> {
  if (ids.length === 0) return NO_COLLECTIONS;
  return soon(collectionsById(services, viewer, ids, { hideBlocked: true }), (seen) => {
    const found = new Map<string, VisibleCollection>();
    for (const one of seen) if (one !== undefined) found.set(one.record.id, one);
    return found;
  });
}
