import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { isPublished, isSuspended } from '../entities/account.js';
import { loadAccounts } from '../entities/status.js';
import type { Services } from '../services.js';
import { listedAccounts } from '../statistics.js';
import { relationsOf } from '../visible.js';

/** Accounts that are looked at, those who came last first; besides them those active of late are found. */
export const LOOKED_AT_MAX = 5_000;

export const DIRECTORY_ORDERS = ['active', 'new'] as const;

export interface DirectoryWanted {
  readonly order: (typeof DIRECTORY_ORDERS)[number];
  readonly limit: number;
  readonly offset: number;
}

/** Ids of the people of this server who want to be found, as of now. */
export async function discoverableIds(services: Services): Promise<readonly string[]> {
  const found: string[] = [];
  let looked = 0;
  const look = async (ids: readonly string[]) => {
    looked += ids.length;
    for (const record of (await loadAccounts(services, ids)).values()) {
      if (isDiscoverable(services, record)) found.push(record.id);
    }
  };
  await look(await services.trends.authors());
  looked = 0;
  for await (const ids of listedAccounts(services)) {
    await look(ids);
    if (looked >= LOOKED_AT_MAX) break;
  }
  return [...new Set(found)];
}

/** A page of the people who want to be found, without those whom the viewer has nothing to do with. */
export async function directoryPage(
  services: Services,
  viewer: string | undefined,
  ids: readonly string[],
  { order, limit, offset }: DirectoryWanted,
): Promise<StoreAccountRecord[]> {
  const [records, relations] = await Promise.all([loadAccounts(services, ids), relationsOf(services, viewer)]);
  return [...records.values()]
    .filter((record) => {
      const relation = relations(record.id);
      return isDiscoverable(services, record) && !relation?.blocking && !relation?.blockedBy && !relation?.muting;
    })
    .sort((a, b) => (order === 'new' ? b.createdAtMs - a.createdAtMs : b.lastStatusAtMs - a.lastStatusAtMs))
    .slice(offset, offset + limit);
}

function isDiscoverable({ limits }: Services, record: StoreAccountRecord): boolean {
  if (record.profile?.discoverable !== true || !isPublished(record) || isSuspended(record)) return false;
  return !limits.silenced(record.id);
}
