import { followerInboxes } from '../../../store/federation-tables.js';
import type { ReadTables } from '../../../store/port.js';
import { accounts } from '../../../store/tables.js';
import { actorAddresses } from '../documents/actor.js';
import { isSameOrigin, originOf } from '../reading/uris.js';
import { followersDigest, synchronizationHeader } from './header.js';

/** Followers of one account on one server that are read. With more of them nothing is compared. */
export const SYNCHRONIZED_MAX = 10_000;
/** Rows and accounts read at a time. */
const READ_AT_ONCE = 500;

type Tables = Pick<ReadTables, 'range' | 'getMany'>;

/** Returns the address of the part of an account's followers that the signer's server may read. */
export const synchronizationUrl = (uri: string): string => `${uri}/followers_synchronization`;

/**
 * Returns the addresses of a local account's followers of one origin, all of them: a missing one would end a follow.
 * Undefined: there are more than SYNCHRONIZED_MAX. @throws Unavailable
 */
export async function partialFollowers(tables: Tables, account: string, origin: string): Promise<string[] | undefined> {
  const found: string[] = [];
  let [read, isMore] = [0, true];
  let after: { readonly inbox: string; readonly follower?: string } = { inbox: `${origin}/` };
  while (isMore) {
    const rows = await tables.range(followerInboxes, { account }, { after, limit: READ_AT_ONCE });
    const own = rows.filter(({ value }) => isSameOrigin(value.inbox, origin));
    read += own.length;
    if (read > SYNCHRONIZED_MAX) return undefined;
    const keys = own.map(({ key }) => ({ account: key.follower }));
    const records = keys.length === 0 ? [] : await tables.getMany(accounts, keys);
    for (const one of records)
      if (one?.origin !== undefined && isSameOrigin(one.origin.uri, origin)) found.push(one.origin.uri);
    const last = own.at(-1)?.key;
    isMore = own.length === READ_AT_ONCE;
    if (last !== undefined) after = { inbox: last.inbox, follower: last.follower };
  }
  return found;
}

/** Returns the header for a delivery to an inbox; undefined if nothing is to be compared. @throws Unavailable */
export async function headerFor(
  tables: Tables,
  account: string,
  uri: string,
  inbox: string,
): Promise<string | undefined> {
  const origin = originOf(inbox);
  const followers = origin === undefined ? undefined : await partialFollowers(tables, account, origin);
  if (followers === undefined) return undefined;
  const collectionId = actorAddresses(uri).followers;
  return synchronizationHeader({ collectionId, url: synchronizationUrl(uri), digest: followersDigest(followers) });
}
