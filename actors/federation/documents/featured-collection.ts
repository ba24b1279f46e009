import type { AccountCollection, StoreAccountRecord } from '../../../proto/gen/types.js';
import { accountUri, collectionUri, featureStampUri, placeUri, tagUrl } from '../../domain/addresses.js';
import { escapeHtml } from '../../domain/text/plain-text.js';
import { asTime } from './context.js';

/** An account in a collection, with the id and the time (ms) of its place. */
export interface FeaturedAccount {
  readonly id: string;
  readonly account: StoreAccountRecord;
  readonly atMs: number;
  /** Address of the stamp of an account of another server. */
  readonly stampUri?: string | undefined;
}

/**
 * Renders a collection of a local account; each account in it comes with the stamp by which it permits its place.
 * Source: FEP-7aa9.
 */
export function featuredCollectionDocument(
  baseUrl: string,
  { id: collection, text, createdAtMs, updatedAtMs }: AccountCollection,
  owner: Pick<StoreAccountRecord, 'username'>,
  featured: readonly FeaturedAccount[],
) {
  const id = collectionUri(baseUrl, owner, collection);
  const { tag = '', language = '' } = text ?? {};
  const summary = escapeHtml(text?.description ?? '');
  return {
    id,
    type: 'FeaturedCollection',
    attributedTo: accountUri(baseUrl, owner),
    name: text?.name ?? '',
    summary,
    ...(language === '' ? {} : { summaryMap: { [language]: summary } }),
    sensitive: text?.sensitive ?? false,
    discoverable: text?.discoverable ?? false,
    ...(tag === '' ? {} : { topic: { type: 'Hashtag', href: tagUrl(baseUrl, tag), name: `#${tag}` } }),
    published: asTime(createdAtMs),
    updated: asTime(updatedAtMs),
    totalItems: featured.length,
    orderedItems: featured.map((one) => featuredItemDocument(baseUrl, id, one)),
  };
}
export type FeaturedCollectionDocument = ReturnType<typeof featuredCollectionDocument>;

/** Renders the place of an account in a collection, whose address is given. Source: FEP-7aa9, FeaturedItem. */
export const featuredItemDocument = (
  baseUrl: string,
  collection: string,
  { id, account, atMs, stampUri }: FeaturedAccount,
) => ({
  id: placeUri(collection, id),
  type: 'FeaturedItem',
  featuredObject: accountUri(baseUrl, account),
  featuredObjectType: account.profile?.bot === true ? 'Service' : 'Person',
  featureAuthorization: stampUri ?? featureStampUri(baseUrl, account, id),
  published: asTime(atMs),
});
export type FeaturedItemDocument = ReturnType<typeof featuredItemDocument>;
