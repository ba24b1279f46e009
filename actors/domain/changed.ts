import { publicLane } from './public.js';

/** Span of one partition of `changedStatuses` and lane, 17.5 min: most clients resume within one. */
export const CHANGED_BUCKET_MS = 2 ** 20;

export const changedBucket = (atMs: number): number => Math.floor(atMs / CHANGED_BUCKET_MS);

/** Returns the key of the row that records a change of a status at `atMs`. */
export const changedKey = (atMs: number, status: string) => ({
  bucket: changedBucket(atMs),
  lane: publicLane(status),
  atMs: Math.floor(atMs),
  status,
});
