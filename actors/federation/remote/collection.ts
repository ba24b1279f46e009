import type { FederationClient } from '../../../transport/federation/port.js';
import { authority, isRefused } from '../reading/authority.js';
import { isSameOrigin } from '../reading/uris.js';
import { asList, idOf, type JsonObject, objectOf } from '../reading/values.js';

/** Pages of one collection, which may be empty. */
const PAGES_MAX = 20;

/** Bounds of reading a collection. */
export interface CollectionBounds {
  /** Address whose origin the collection and its pages have. */
  readonly owner: string | undefined;
  readonly itemsMax: number;
  /** Ends the reading. */
  readonly isOver: () => boolean;
}

/**
 * Returns the items of a collection, addresses and objects, in its order. They prove nothing: each is believed as its own
 * server gives it. A collection that cannot be read ends the list.
 */
export async function itemsOf(
  client: Pick<FederationClient, 'object'>,
  uri: string | undefined,
  { owner, itemsMax, isOver }: CollectionBounds,
): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  const read = new Set<string>();
  let next = uri;
  while (next !== undefined && isSameOrigin(next, owner) && !read.has(next) && read.size < PAGES_MAX) {
    if (items.length >= itemsMax || isOver()) break;
    read.add(next);
    const page = await pageAt(client, next);
    if (page === undefined) break;
    // The first page is often a part of the collection.
    const first = objectOf(page.first);
    for (const part of first === undefined ? [page] : [page, first])
      items.push(...asList(part.items, itemsMax), ...asList(part.orderedItems, itemsMax));
    next = idOf(first?.next) ?? idOf(page.next) ?? (first === undefined ? idOf(page.first) : undefined);
  }
  return items.slice(0, itemsMax);
}

async function pageAt(client: Pick<FederationClient, 'object'>, uri: string): Promise<JsonObject | undefined> {
  const outcome = await client.object(uri);
  if (outcome.kind !== 'object') return undefined;
  return isRefused(authority(outcome.value, { finalUrl: outcome.url })) ? undefined : outcome.value;
}
