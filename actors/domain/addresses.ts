import type { StoreOrigin } from '../../proto/gen/types.js';

// Records of other servers carry their domain and their addresses. Local ones carry neither: uri and url would take 110
// of some 500 bytes of a status and follow from its id and author. So these functions are the only readers.

/** Names of an account in its record. */
interface Named {
  readonly username: string;
  readonly domain?: string | undefined;
  readonly origin?: StoreOrigin | undefined;
}

/** Returns true for an account or status of this server. */
export const isLocal = ({ domain }: Pick<Named, 'domain'>): boolean => !domain;

/** Returns the name of an account as clients see it: `ann`, or `ann@far.example` for an account of another server. */
export const acctOf = (account: Named): string =>
  isLocal(account) ? account.username : `${account.username}@${account.domain}`;

/**
 * Returns the username in `ann`, `@ann` or `ann@here.example`, in lower case. Undefined: the text names an account of
 * another server, or none. `here`: the domain of this server.
 */
export function localName(acct: string, here: string): string | undefined {
  const [name = '', domain, ...rest] = acct.replace(/^@/, '').toLowerCase().split('@');
  const isHere = domain === undefined || domain === here.toLowerCase();
  return isHere && rest.length === 0 ? name : undefined;
}

/** Returns an address without the slashes at its end. */
export function withoutFinalSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
}

/** Returns the ActivityPub identifier of an account. */
export const accountUri = (baseUrl: string, { username, origin }: Named): string =>
  origin?.uri ?? `${baseUrl}/users/${username}`;

/** Returns the web page of an account. */
export const accountUrl = (baseUrl: string, { username, origin }: Named): string =>
  origin === undefined ? `${baseUrl}/@${username}` : origin.url || origin.uri;

/** A local account or status, named by its address. */
export type LocalUri =
  | { readonly kind: 'account' | 'followers'; readonly username: string }
  | { readonly kind: 'status'; readonly username: string; readonly id: string };

/**
 * Reads an ActivityPub identifier, or the address of a page, of this server; undefined for any other. It does not say
 * that there is such an account or status.
 */
export function readLocalUri(baseUrl: string, uri: string): LocalUri | undefined {
  if (!uri.startsWith(`${baseUrl}/`)) return undefined;
  const path = uri.slice(baseUrl.length);
  const [, username = '', rest = ''] = /^\/(?:users\/|@)([A-Za-z0-9_.-]+)(\/.*)?$/.exec(path) ?? [];
  if (username === '') return undefined;
  if (rest === '') return { kind: 'account', username };
  if (rest === '/followers') return { kind: 'followers', username };
  const id = /^\/(?:statuses\/)?([0-9]{1,18})$/.exec(rest)?.[1];
  return id === undefined ? undefined : { kind: 'status', username, id };
}

/** Returns the page of a hashtag, whose name is given without the #. */
export const tagUrl = (baseUrl: string, name: string): string => `${baseUrl}/tags/${encodeURIComponent(name)}`;

/** Returns the address of a person's statuses with a hashtag. `page`: the address of the person's page. */
export const taggedUrl = (page: string, name: string): string => `${page}/tagged/${encodeURIComponent(name)}`;

interface Written {
  readonly id: string;
  readonly reblogOfId?: string | undefined;
  readonly origin?: StoreOrigin | undefined;
}

/** Returns the ActivityPub identifier of a status, or of the activity of a reblog. */
export function statusUri(baseUrl: string, { id, reblogOfId, origin }: Written, author: Named): string {
  if (origin !== undefined) return origin.uri;
  return `${accountUri(baseUrl, author)}/statuses/${id}${reblogOfId === undefined ? '' : '/activity'}`;
}

/** Returns the address of the stamp by which the author of a local status permits its quote by another. Source: FEP-044f. */
export const stampUri = (baseUrl: string, quoted: Written, author: Named, quotingId: string): string =>
  `${statusUri(baseUrl, quoted, author)}/quote_authorizations/${quotingId}`;

/** Returns the address of the stamp by which a local account permits its place in a collection. Source: FEP-7aa9. */
export const featureStampUri = (baseUrl: string, featured: Named, id: string): string =>
  `${accountUri(baseUrl, featured)}/feature_authorizations/${id}`;

/** Returns the address of a collection of a local account. */
export const collectionUri = (baseUrl: string, owner: Named, id: string): string =>
  `${accountUri(baseUrl, owner)}/collections/${id}`;

/** Returns the address of a place in a collection. */
export const placeUri = (collection: string, item: string): string => `${collection}/items/${item}`;

/** Reads the address of a collection of a local account, or of a place in it. It does not say that there is one. */
export function readCollectionUri(
  baseUrl: string,
  uri: string,
): { readonly id: string; readonly item: string | undefined } | undefined {
  if (!uri.startsWith(`${baseUrl}/users/`)) return undefined;
  const path = uri.slice(baseUrl.length);
  const [, id, item] =
    /^\/users\/[A-Za-z0-9_.-]+\/collections\/([0-9]{1,18})(?:\/items\/([0-9]{1,18}))?$/.exec(path) ?? [];
  return id === undefined ? undefined : { id, item };
}

/** Returns the web page of a status. */
export const statusUrl = (baseUrl: string, { id, origin }: Written, author: Named): string =>
  origin === undefined ? `${accountUrl(baseUrl, author)}/${id}` : origin.url || origin.uri;

/** Returns the address of the collection of a conversation that began here. Source: FEP-7888. */
export const contextUri = (baseUrl: string, conversationId: string): string => `${baseUrl}/contexts/${conversationId}`;

/** Returns the path of a collection's page. */
export const collectionPath = (id: string): string => `/collections/${id}`;
