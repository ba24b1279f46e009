import { idMs } from '../../actors/domain/ids.js';
import type { PageBounds } from './bounds.js';
import type { Parts } from './cursor.js';
import { type Soon, soon } from './soon.js';

/** Buckets read at a time from the list of buckets. */
const BUCKETS_READ = 32;

/** Reads the list of non-empty buckets; bounds are exclusive. */
export type ReadBuckets = (range: {
  readonly reverse: boolean;
  readonly limit: number;
  readonly before?: { readonly bucket: number };
  readonly after?: { readonly bucket: number };
}) => Soon<readonly { readonly key: { readonly bucket: number } }[]>;

/** Returns the non-empty buckets of `bucketMs` within the bounds, in the direction of reading. */
export function filledBuckets(read: ReadBuckets, bucketMs: number, bounds: Omit<PageBounds, 'limit'>): Parts<number> {
  const bucketOf = (id: string) => Math.floor(idMs(id) / bucketMs);
  // Bounds of ranges are exclusive, but the buckets that contain the page's bounds are included.
  let before = bounds.before === undefined ? undefined : bucketOf(bounds.before) + 1;
  let after = bounds.after === undefined ? undefined : bucketOf(bounds.after) - 1;
  let ready: number[] = [];
  let isEnd = false;
  const look = () =>
    soon(
      read({
        reverse: !bounds.upwards,
        limit: BUCKETS_READ,
        ...(before === undefined ? {} : { before: { bucket: before } }),
        ...(after === undefined || after < 0 ? {} : { after: { bucket: after } }),
      }),
      (rows) => {
        ready = rows.map(({ key }) => key.bucket).reverse();
        isEnd = rows.length < BUCKETS_READ;
        if (bounds.upwards) after = ready[0] ?? after;
        else before = ready[0] ?? before;
      },
    );
  const next = (): Soon<IteratorResult<number>> => {
    const value = ready.pop();
    if (value !== undefined) return { done: false, value };
    return isEnd ? { done: true, value: undefined } : soon(look(), next);
  };
  return { next };
}
