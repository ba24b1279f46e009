import { isPublished, isSuspended } from '../../actors/domain/standing.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import { listedAccounts } from '../moderation/listed-accounts.js';
import { ACCOUNT_PLACES, showsAccount } from '../viewing/judge-accounts.js';
import { loadAccounts } from '../viewing/people-at-hand.js';
import { lensOf } from '../viewing/visible.js';

/** Accounts that are read, the newest first. Recently active accounts are read in addition. */
export const LOOKED_AT_MAX = 5_000;

export const DIRECTORY_ORDERS = ['active', 'new'] as const;

export interface DirectoryWanted {
  readonly order: (typeof DIRECTORY_ORDERS)[number];
  readonly limit: number;
  readonly offset: number;
}

/** Ids of discoverable local accounts, in each order. */
export type Directory = { readonly [order in DirectoryWanted['order']]: readonly string[] };

/** Reads the current directory. */
export async function readDirectory(
  services: Pick<Services, 'trends' | 'tables' | 'limits' | 'clock'>,
): Promise<Directory> {
  const found = new Map<string, StoreAccountRecord>();
  const look = async (ids: readonly string[]) => {
    for (const record of (await loadAccounts(services, ids)).values())
      if (isDiscoverable(services, record)) found.set(record.id, record);
  };
  await look(await services.trends.authors());
  let looked = 0;
  for await (const ids of listedAccounts(services)) {
    await look(ids);
    looked += ids.length;
    if (looked >= LOOKED_AT_MAX) break;
  }
  const all = [...found.values()];
  return {
    active: all.sort((a, b) => b.lastStatusAtMs - a.lastStatusAtMs).map(({ id }) => id),
    new: all.sort((a, b) => b.createdAtMs - a.createdAtMs).map(({ id }) => id),
  };
}

/**
 * Returns a page of the directory, without accounts that are no longer discoverable, and without those that the viewer
 * blocks, mutes or is blocked by.
 */
export async function directoryPage(
  services: Pick<Services, 'lenses' | 'tables' | 'limits'>,
  viewer: string | undefined,
  directory: Directory,
  { order, limit, offset }: DirectoryWanted,
): Promise<StoreAccountRecord[]> {
  const ids = directory[order].slice(offset, offset + limit);
  const [records, lens] = await Promise.all([loadAccounts(services, ids), lensOf(services, viewer)]);
  return ids.flatMap((id) => {
    const record = records.get(id);
    if (record === undefined || !showsAccount(record, lens, ACCOUNT_PLACES.directory)) return [];
    return isDiscoverable(services, record) ? [record] : [];
  });
}

function isDiscoverable({ limits }: Pick<Services, 'limits'>, record: StoreAccountRecord): boolean {
  if (record.profile?.discoverable !== true || !isPublished(record) || isSuspended(record)) return false;
  return !limits.silenced(record.id, record.domain);
}
