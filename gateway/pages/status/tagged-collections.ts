import type { StoreStatusRecord } from '../../../proto/gen/types.js';
import type { InstanceSettings } from '../../settings/settings.js';

/** Collections that one status makes a page read. A text of the usual length has no room for more addresses. */
export const TAGGED_COLLECTIONS_MAX = 10;

/**
 * Returns the ids of the collections to which a status links, in order. Only addresses in the exact form of the API
 * count. Undefined for nearly all statuses. Source: Mastodon's documentation, Sharing Collections.
 */
export function linkedCollections(
  { baseUrl }: Pick<InstanceSettings, 'baseUrl'>,
  { html }: Pick<StoreStatusRecord, 'html'>,
): readonly string[] | undefined {
  const start = `href="${baseUrl}/collections/`;
  let ids: Set<string> | undefined;
  for (let at = html.indexOf(start); at >= 0; at = html.indexOf(start, at)) {
    at += start.length;
    const [, id] = ID.exec(html.slice(at, at + ID_AND_QUOTE)) ?? [];
    if (id === undefined) continue;
    ids ??= new Set();
    ids.add(id);
    if (ids.size === TAGGED_COLLECTIONS_MAX) break;
  }
  return ids && [...ids];
}

const ID = /^(\d{18})"/;
const ID_AND_QUOTE = 19;
