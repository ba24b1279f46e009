import type { AccountCollectionText } from '../../../proto/gen/types.js';
import { REMOTE_ITEMS_MAX } from '../../account/remote-collections.js';
import { foreignHtml, foreignName } from '../../domain/text/foreign-html.js';
import { HASHTAG_WRITTEN_MAX, namedHashtag } from '../../domain/text/hashtag.js';
import { isLanguage } from '../../domain/text/language.js';
import { pageOf } from './authority.js';
import { isSameOrigin } from './uris.js';
import { asList, idOf, idsOf, isObject, isTrue, type JsonObject, objectOf, textOf, timeOf, typesOf } from './values.js';

/** Characters of the name of a collection. Source: Mastodon Collection::NAME_LENGTH_HARD_LIMIT. */
const NAME_CHARS_MAX = 256;
/** Characters of its description. Excess is cut. */
const DESCRIPTION_CHARS_MAX = 2_000;

/** An account in a collection of another server, as the owner's server states it. Addresses are canonical. */
export interface ReadPlace {
  readonly uri: string;
  readonly featured: string;
  readonly stampUri: string;
  /** Time in ms; 0: unknown. */
  readonly publishedMs: number;
}

/** A collection of another server, as the owner's server states it. */
export interface ReadCollection {
  readonly uri: string;
  readonly url: string;
  readonly text: AccountCollectionText;
  /** At most REMOTE_ITEMS_MAX. */
  readonly places: readonly ReadPlace[];
  /** Times in ms, never in the future; 0: unknown. */
  readonly publishedMs: number;
  readonly updatedMs: number;
  /** The first page of further accounts. */
  readonly first: string | undefined;
}

/** Returns true for a FeaturedCollection. Source: FEP-7aa9. */
export const isFeaturedCollection = (object: JsonObject): boolean => typesOf(object).includes('FeaturedCollection');

/**
 * Reads a collection that its owner has signed, or that was fetched at its id. Undefined: it is on another server than
 * its owner, or has another or a further author.
 */
export function readFeaturedCollection(document: JsonObject, owner: string, nowMs: number): ReadCollection | undefined {
  const uri = idOf(document);
  const authors = idsOf(document.attributedTo);
  if (uri === undefined || !isSameOrigin(uri, owner) || !isFeaturedCollection(document)) return undefined;
  if (authors.length !== 1 || authors[0] !== owner) return undefined;
  const since = (value: unknown) => Math.max(0, Math.min(timeOf(value) ?? 0, nowMs));
  const [language = '', summary = document.summary] = Object.entries(objectOf(document.summaryMap) ?? {})[0] ?? [];
  return {
    uri,
    url: pageOf(document.url, owner) ?? '',
    text: {
      name: foreignName(textOf(document.name, NAME_CHARS_MAX), NAME_CHARS_MAX),
      description: foreignHtml(textOf(summary, DESCRIPTION_CHARS_MAX), DESCRIPTION_CHARS_MAX).text,
      language: isLanguage(language) ? language : '',
      tag: namedHashtag(textOf(objectOf(document.topic)?.name, HASHTAG_WRITTEN_MAX)) ?? '',
      sensitive: isTrue(document.sensitive),
      discoverable: isTrue(document.discoverable),
    },
    places: [...asList(document.orderedItems, REMOTE_ITEMS_MAX), ...asList(document.items, REMOTE_ITEMS_MAX)]
      .flatMap((item) => readPlace(item, uri) ?? [])
      .slice(0, REMOTE_ITEMS_MAX),
    publishedMs: since(document.published),
    updatedMs: since(document.updated),
    first: idOf(document.first),
  };
}

/** Reads a place in a collection. Undefined: it is not embedded, incomplete or on another server than the collection. */
export function readPlace(item: unknown, collection: string): ReadPlace | undefined {
  if (!isObject(item) || !typesOf(item).includes('FeaturedItem')) return undefined;
  const [uri, featured, stampUri] = [idOf(item), idOf(item.featuredObject), idOf(item.featureAuthorization)];
  if (uri === undefined || featured === undefined || stampUri === undefined) return undefined;
  return isSameOrigin(uri, collection)
    ? { uri, featured, stampUri, publishedMs: Math.max(0, timeOf(item.published) ?? 0) }
    : undefined;
}
