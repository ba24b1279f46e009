import type { StoreStatusRecord } from '../../proto/gen/types.js';
import { isLocal } from './addresses.js';
import { idMs, idShard } from './ids.js';

/** Size of the partitions of public timelines: buckets of 70 minutes, each of 8 lanes that readers merge. */
export const PUBLIC_BUCKET_MS = 2 ** 22;
export const PUBLIC_LANES = 8;

export function publicBucket(statusId: string): number {
  return Math.floor(idMs(statusId) / PUBLIC_BUCKET_MS);
}

/** Returns the lane of a status. The shard spreads evenly; the id's last bits are mostly zero. */
export function publicLane(statusId: string): number {
  return idShard(statusId) % PUBLIC_LANES;
}

/** Age from which a status of another server is no news when it arrives. */
const NEWS_MS = 6 * 3_600_000;

/**
 * True if a status of another server was written long before it arrived. It is in lists of its author and in threads,
 * but in no stream, home ring or public timeline: a peer could fill them with old statuses.
 */
export const isOldNews = (status: Pick<StoreStatusRecord, 'id' | 'domain' | 'createdAtMs'>): boolean =>
  !isLocal(status) && idMs(status.id) - status.createdAtMs > NEWS_MS;

/** True if a status belongs in public timelines: public, no reblog, no reply to another account. */
export function isListed(status: {
  readonly visibility: string;
  readonly accountId: string;
  readonly reblogOfId?: string | undefined;
  readonly inReplyToId?: string | undefined;
  readonly inReplyToAccountId?: string | undefined;
}): boolean {
  if (status.visibility !== 'public' || status.reblogOfId !== undefined) return false;
  return status.inReplyToId === undefined || status.inReplyToAccountId === status.accountId;
}
