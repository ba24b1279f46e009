import { isId } from '../../actors/domain/ids.js';
import { isProblem } from '../../actors/domain/problem.js';
import { namedHashtag } from '../../actors/domain/text/hashtag.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import type { Soon } from '../paging/soon.js';
import type { ReadServices } from '../viewing/read-services.js';
import { publishedAccount, visibleStatus } from '../viewing/visible.js';
import { type VisibleCollection, visibleCollection } from '../viewing/visible-collections.js';
import type { VisibleStatus } from '../viewing/visible-status.js';
import type { TagUses } from './tag-histories.js';

/** A hashtag in a search result, with its uses. */
export interface FoundTag {
  readonly name: string;
  readonly history: TagUses;
  /** True if the viewer follows it; undefined if unknown. */
  readonly following: boolean | undefined;
}

/** Result of a search. */
export interface Found {
  readonly accounts: readonly StoreAccountRecord[];
  readonly statuses: readonly VisibleStatus[];
  readonly hashtags: readonly FoundTag[];
  /** Found by their address only. */
  readonly collections?: readonly VisibleCollection[];
}

const NOTHING: Found = { accounts: [], statuses: [], hashtags: [] };

/** Returns the object at a local address, if the viewer may see it; undefined for an address of another server. */
export function localEntity(
  services: ReadServices & Pick<Services, 'tagHistories' | 'registry'>,
  viewer: string | undefined,
  address: string,
): Soon<Found | undefined> {
  return address.startsWith(`${services.instance.baseUrl}/`) ? entityAt(services, viewer, address) : undefined;
}

async function entityAt(
  services: ReadServices & Pick<Services, 'tagHistories' | 'registry'>,
  viewer: string | undefined,
  address: string,
): Promise<Found> {
  const { instance } = services;
  const path = pathOf(address.slice(instance.baseUrl.length));
  const status = /^\/(?:@[^/]+|users\/[^/]+\/statuses)\/([0-9]{1,18})(?:\/activity)?$/.exec(path)?.[1];
  if (status !== undefined) return statusAt(services, viewer, status);
  const username = /^\/(?:@|users\/)([A-Za-z0-9_.-]+)$/.exec(path)?.[1];
  if (username !== undefined) return accountAt(services, username);
  const collection = /^\/(?:users\/[^/]+\/)?collections\/([0-9]{1,18})$/.exec(path)?.[1];
  if (collection !== undefined) return collectionAt(services, viewer, collection);
  const tag = /^\/tags\/([^/]+)$/.exec(path)?.[1];
  const name = tag === undefined ? undefined : namedHashtag(decoded(tag));
  if (name === undefined) return NOTHING;
  const history = await services.tagHistories.of(name);
  return { ...NOTHING, hashtags: [{ name, history, following: undefined }] };
}

/**
 * Returns the path without query, fragment and trailing slashes. Takes linear time, unlike a pattern that ends with
 * `+$`.
 */
function pathOf(rest: string): string {
  const [path = ''] = rest.split(/[?#]/, 1);
  let { length } = path;
  while (path[length - 1] === '/') length--;
  return path.slice(0, length);
}

async function statusAt(
  services: Pick<Services, 'lenses' | 'tables' | 'limits'>,
  viewer: string | undefined,
  id: string,
): Promise<Found> {
  const seen = isId(id) ? await visibleStatus(services, viewer, id) : undefined;
  if (seen === undefined || isProblem(seen)) return NOTHING;
  return { ...NOTHING, statuses: [seen] };
}

async function collectionAt(
  services: Pick<Services, 'lenses' | 'tables' | 'limits'>,
  viewer: string | undefined,
  id: string,
): Promise<Found> {
  const seen = isId(id) ? await visibleCollection(services, viewer, id) : undefined;
  return seen === undefined || isProblem(seen) ? NOTHING : { ...NOTHING, collections: [seen] };
}

/** Returns an account. As in `accounts/lookup`, blocks do not hide it. */
async function accountAt(services: Pick<Services, 'registry' | 'tables' | 'limits'>, username: string): Promise<Found> {
  const id = await services.registry.find(`acct:${username.toLowerCase()}`);
  const record = id === undefined ? undefined : await publishedAccount(services, id);
  return record === undefined || isProblem(record) ? NOTHING : { ...NOTHING, accounts: [record] };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray per cent sign: the address names nothing.
    return '';
  }
}
