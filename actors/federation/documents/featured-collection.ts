import type { AccountCollection, StoreAccountRecord } from '../../../proto/gen/types.js';
import { accountUri, collectionUri, featureStampUri, tagUrl } from '../../domain/addresses.js';
import { escapeHtml } from '../../domain/text/plain-text.js';
import { asTime } from './context.js';

/** An account in a collection, with the id and the time (ms) of its place. */
export interface FeaturedAccount {
  readonly id: string;
  readonly account: StoreAccountRecord;
  readonly atMs: number;
}

/** Renders a collection of local accounts, each with the stamp by which it permits its place. Source: FEP-7aa9. */
export function featuredCollectionDocument(
  baseUrl: string,
  { id: collection, text, createdAtMs, updatedAtMs }: AccountCollection,
  owner: StoreAccountRecord,
  featured: readonly FeaturedAccount[],
) {
  const id = collectionUri(baseUrl, owner, collection);
  const tag = text?.tag ?? '';
  return {
    id,
    type: 'FeaturedCollection',
    attributedTo: accountUri(baseUrl, owner),
    name: text?.name ?? '',
    summary: escapeHtml(text?.description ?? ''),
    sensitive: text?.sensitive ?? false,
    discoverable: text?.discoverable ?? false,
    ...(tag === '' ? {} : { topic: { type: 'Hashtag', href: tagUrl(baseUrl, tag), name: `#${tag}` } }),
    published: asTime(createdAtMs),
    updated: asTime(updatedAtMs),
    totalItems: featured.length,
    orderedItems: featured.map(({ id: item, account, atMs }) => ({
      id: `${id}/items/${item}`,
      type: 'FeaturedItem',
      featuredObject: accountUri(baseUrl, account),
      featuredObjectType: account.profile?.bot === true ? 'Service' : 'Person',
      featureAuthorization: featureStampUri(baseUrl, account, item),
      published: asTime(atMs),
    })),
  };
}
