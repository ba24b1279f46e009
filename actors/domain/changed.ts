import { publicLane } from './public.js';

/** Span of one partition of `changedStatuses` and lane, 17.5 min: most clients resume within one. */
export const CHANGED_BUCKET_MS = 2 ** 20;

export const changedBucket = (atMs: number): number => Math.floor(atMs / CHANGED_BUCKET_MS);

/** Key of the row that says that a status changed at `atMs`. */
export const changedKey = (atMs: number, status: string) => ({
  bucket: changedBucket(atMs),
  lane: publicLane(status),
  atMs: Math.floor(atMs),
  status,
});
