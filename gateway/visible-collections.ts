import { isProblem, type Problem } from '../actors/domain/problem.js';
import type { AccountCollection, AccountCollectionItem, StoreAccountRecord } from '../proto/gen/types.js';
import { collections } from '../store/tables.js';
import { isPublished, isSuspended } from './entities/account.js';
import { loadAccounts } from './entities/status.js';
import { blocksDomainOf } from './screening/screen.js';
import type { Services } from './services.js';
import { notFound, type Relations, relationsOf } from './visible.js';

/** A collection that its viewer may see, with what of it is for them; made here only, and what renderers take. */
export interface VisibleCollection {
  readonly record: AccountCollection;
  readonly owner: StoreAccountRecord;
  readonly items: readonly AccountCollectionItem[];
  /** Of the items, in their order. */
  readonly accounts: readonly StoreAccountRecord[];
}

export interface CollectionOptions {
  /** Known relations to all concerned; absent: the viewer's actor is asked, once. */
  readonly relations?: Relations;
  /** Leaves out those of owners whom the viewer blocks, too: lists do, single ones don't. */
  readonly hideBlocked?: boolean;
}

/** The one way from stored collections to what a viewer may see, in their order; undefined where there is nothing. */
export async function visibleCollections(
  services: Services,
  viewer: string | undefined,
  records: readonly (AccountCollection | undefined)[],
  { relations: known, hideBlocked }: CollectionOptions = {},
): Promise<(VisibleCollection | undefined)[]> {
  const concerned = new Set<string>();
  for (const record of records) {
    if (record === undefined) continue;
    concerned.add(record.owner);
    for (const { account } of record.items) concerned.add(account);
  }
  const relations = known ?? (await relationsOf(services, viewer));
  const people = await loadAccounts(services, [...concerned]);
  return records.map((record) => {
    const owner = record && people.get(record.owner);
    if (record === undefined || owner === undefined || !isThere(owner)) return undefined;
    const relation = viewer === owner.id ? undefined : relations(owner.id);
    if (relation?.blockedBy === true || (hideBlocked === true && relation?.blocking === true)) return undefined;
    return { record, owner, ...shownOf(record, viewer, relations, people) };
  });
}

/** By their ids, in the ids' order. */
export async function collectionsById(
  services: Services,
  viewer: string | undefined,
  ids: readonly string[],
  options: CollectionOptions = {},
): Promise<(VisibleCollection | undefined)[]> {
  if (ids.length === 0) return [];
  const records = await services.tables.getMany(
    collections,
    ids.map((collection) => ({ collection })),
  );
  return visibleCollections(services, viewer, records, options);
}

/** One collection, or the refusal that does not tell why. */
export async function visibleCollection(
  services: Services,
  viewer: string | undefined,
  id: string,
): Promise<VisibleCollection | Problem> {
  const [found] = await collectionsById(services, viewer, [id]);
  return found ?? notFound();
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

/** Whom the viewer sees in it: nobody who is away, nor whom one of the two, or the viewer's domain block, keeps out. */
function shownOf(
  { items }: AccountCollection,
  viewer: string | undefined,
  relations: Relations,
  people: ReadonlyMap<string, StoreAccountRecord>,
): Pick<VisibleCollection, 'items' | 'accounts'> {
  const shown: AccountCollectionItem[] = [];
  const accounts: StoreAccountRecord[] = [];
  for (const item of items) {
    const account = people.get(item.account);
    if (account === undefined || !isThere(account)) continue;
    if (account.id !== viewer) {
      const relation = relations(account.id);
      if (relation?.blocking === true || relation?.blockedBy === true) continue;
      if (relation?.following !== true && blocksDomainOf(relations.screen, account)) continue;
    }
    shown.push(item);
    accounts.push(account);
  }
  return { items: shown, accounts };
}

const isThere = (record: StoreAccountRecord): boolean => isPublished(record) && !isSuspended(record);
