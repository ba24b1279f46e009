import { idMs, idShard } from './ids.js';

/** How public timelines are cut into partitions: buckets of 70 minutes, each of 8 lanes that readers merge. */
export const PUBLIC_BUCKET_MS = 2 ** 22;
export const PUBLIC_LANES = 8;

export function publicBucket(statusId: string): number {
  return Math.floor(idMs(statusId) / PUBLIC_BUCKET_MS);
}

/** By shard, which spreads evenly; the id's last bits are mostly zero. */
export function publicLane(statusId: string): number {
  return idShard(statusId) % PUBLIC_LANES;
}
