import { placeUri } from '../../domain/addresses.js';

/** Last part of the id of a request to feature an account; the address of the place in the collection precedes it. */
const SUFFIX = '#feature-request';

/**
 * Renders the request of a local account to feature an account of another server in a collection. `item`: id of its
 * place. Source: FEP-7aa9, FeatureRequest.
 */
export const featureRequestActivity = (actor: string, featured: string, collection: string, item: string) => ({
  id: `${placeUri(collection, item)}${SUFFIX}`,
  type: 'FeatureRequest',
  actor,
  to: [featured],
  object: featured,
  instrument: collection,
});

/** Returns the address of the place in a collection that a request names by its id; undefined for other ids. */
export const placeAsked = (id: string): string | undefined =>
  id.endsWith(SUFFIX) ? id.slice(0, -SUFFIX.length) : undefined;
