import { placeUri } from '../../domain/addresses.js';
import { actorAddresses } from '../documents/actor.js';
import { PUBLIC } from '../documents/context.js';
import type { FeaturedCollectionDocument, FeaturedItemDocument } from '../documents/featured-collection.js';

/** Renders a new collection of a local account. `part`: unique among its changes. Source: FEP-7aa9, Add. */
export const addCollectionActivity = (collection: FeaturedCollectionDocument, part: string) => ({
  id: `${collection.id}#adds/${part}`,
  type: 'Add',
  actor: collection.attributedTo,
  to: [PUBLIC],
  object: collection,
  target: actorAddresses(collection.attributedTo).featuredCollections,
});

/**
 * Renders the end of a collection, or of its place among those that the account shows. `part`: unique among its changes.
 * Source: FEP-7aa9, Remove.
 */
export const removeCollectionActivity = (actor: string, collection: string, part: string) => ({
  id: `${collection}#removes/${part}`,
  type: 'Remove',
  actor,
  to: [PUBLIC],
  object: collection,
  target: actorAddresses(actor).featuredCollections,
});

/** Renders a new place in a collection. `part`: unique among the changes of the collection. Source: FEP-7aa9, Add. */
export const addFeaturedActivity = (actor: string, collection: string, item: FeaturedItemDocument, part: string) => ({
  id: `${item.id}#adds/${part}`,
  type: 'Add',
  actor,
  to: [PUBLIC],
  object: item,
  target: collection,
});

/** Renders the removal of an account from a collection of a local account. `item`: id of its place. Source: FEP-7aa9, Remove. */
export const removeFeaturedActivity = (actor: string, collection: string, item: string) => ({
  id: `${placeUri(collection, item)}#remove`,
  type: 'Remove',
  actor,
  object: placeUri(collection, item),
  target: collection,
});
