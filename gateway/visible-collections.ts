import { isProblem, type Problem } from '../actors/domain/problem.js';
import type { AccountCollection, AccountCollectionItem, StoreAccountRecord } from '../proto/gen/types.js';
import { collections } from '../store/tables.js';
import { isPublished, isSuspended } from './entities/account.js';
import { loadAccounts } from './entities/status.js';
import { blocksDomainOf } from './screening/screen.js';
import type { Services } from './services.js';
import { type Soon, soon } from './soon.js';
import { notFound, type Relations, relationsOf } from './visible.js';

/** A collection that its viewer may see, with what of it is for them; made here only, and what renderers take. */
export interface VisibleCollection {
  readonly record: AccountCollection;
  readonly owner: StoreAccountRecord;
  /** The record's own list where nobody in it is hidden. */
  readonly items: readonly AccountCollectionItem[];
}

export interface CollectionOptions {
  /** Known relations to all concerned; absent: the viewer's actor is asked, once. */
  readonly relations?: Relations;
  /** Leaves out those of owners whom the viewer blocks, too: lists do, single ones don't. */
  readonly hideBlocked?: boolean;
}

/** The one way from stored collections to what a viewer may see, in their order; undefined where there is nothing. */
export function visibleCollections(
  services: Services,
  viewer: string | undefined,
  records: readonly (AccountCollection | undefined)[],
  { relations: known, hideBlocked }: CollectionOptions = {},
): Soon<(VisibleCollection | undefined)[]> {
  const concerned = new Set<string>();
  for (const record of records) {
    if (record === undefined) continue;
    concerned.add(record.owner);
    for (const { account } of record.items) concerned.add(account);
  }
  return soon(known ?? relationsOf(services, viewer), (relations) =>
    soon(loadAccounts(services, [...concerned]), (people) => {
      const shown = new Set<string>();
      for (const account of people.values()) if (isShown(account, viewer, relations)) shown.add(account.id);
      return records.map((record) => {
        const owner = record && people.get(record.owner);
        if (record === undefined || owner === undefined || !isThere(owner)) return undefined;
        const relation = viewer === owner.id ? undefined : relations(owner.id);
        if (relation?.blockedBy === true || (hideBlocked === true && relation?.blocking === true)) return undefined;
        const { items } = record;
        const isWhole = items.every(({ account }) => shown.has(account));
        return { record, owner, items: isWhole ? items : items.filter(({ account }) => shown.has(account)) };
      });
    }),
  );
}

/** By their ids, in the ids' order. */
export function collectionsById(
  services: Services,
  viewer: string | undefined,
  ids: readonly string[],
  options: CollectionOptions = {},
): Soon<(VisibleCollection | undefined)[]> {
  const held = ids.map((collection) => services.tables.peek?.(collections, { collection }));
  const records = held.includes(undefined)
    ? services.tables.getMany(
        collections,
        ids.map((collection) => ({ collection })),
      )
    : held;
  return soon(records, (found) => visibleCollections(services, viewer, found, options));
}

/** One collection, or the refusal that does not tell why. */
export function visibleCollection(
  services: Services,
  viewer: string | undefined,
  id: string,
): Soon<VisibleCollection | Problem> {
  return soon(collectionsById(services, viewer, [id]), ([found]) => found ?? notFound());
}

/** What somebody just made or changed, as they see it. */
export async function ownCollection(
  services: Services,
  viewer: string,
  reply: AccountCollection | Problem,
): Promise<VisibleCollection | Problem> {
  if (isProblem(reply)) return reply;
  const [found] = await visibleCollections(services, viewer, [reply]);
  return found ?? notFound();
}

/** Whom a viewer sees in collections: nobody who is away, nor whom one of the two, or the viewer's domain block, keeps out. */
function isShown(account: StoreAccountRecord, viewer: string | undefined, relations: Relations): boolean {
  if (!isThere(account)) return false;
  if (account.id === viewer) return true;
  const relation = relations(account.id);
  if (relation?.blocking === true || relation?.blockedBy === true) return false;
  return relation?.following === true || !blocksDomainOf(relations.screen, account);
}

const isThere = (record: StoreAccountRecord): boolean => isPublished(record) && !isSuspended(record);
