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
