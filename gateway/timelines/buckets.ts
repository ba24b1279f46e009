import { idMs } from '../../actors/domain/ids.js';
import type { PageBounds } from '../http/paging.js';

/** Buckets read at a time from the list of them. */
const BUCKETS_READ = 32;

/** Reads the list of the buckets that hold anything; bounds are exclusive. */
export type ReadBuckets = (range: {
  readonly reverse: boolean;
  readonly limit: number;
  readonly before?: { readonly bucket: number };
  readonly after?: { readonly bucket: number };
}) => Promise<readonly { readonly key: { readonly bucket: number } }[]>;

/** Buckets of `bucketMs` that hold anything within the bounds, in the direction of reading. */
export async function* filledBuckets(
  read: ReadBuckets,
  bucketMs: number,
  bounds: Omit<PageBounds, 'limit'>,
): AsyncGenerator<number> {
  const bucketOf = (id: string) => Math.floor(idMs(id) / bucketMs);
  // Bounds of ranges are exclusive, those of the page lie within buckets that are wanted.
  let before = bounds.before === undefined ? undefined : bucketOf(bounds.before) + 1;
  let after = bounds.after === undefined ? undefined : bucketOf(bounds.after) - 1;
  for (;;) {
    const rows = await read({
      reverse: !bounds.upwards,
      limit: BUCKETS_READ,
      ...(before === undefined ? {} : { before: { bucket: before } }),
      ...(after === undefined || after < 0 ? {} : { after: { bucket: after } }),
    });
    for (const { key } of rows) yield key.bucket;
    const last = rows.at(-1)?.key.bucket;
    if (last === undefined || rows.length < BUCKETS_READ) return;
    if (bounds.upwards) after = last;
    else before = last;
  }
}
