import { createHash } from 'node:crypto';
import type { StoreDelivery } from '../../../proto/gen/types.js';
import { deliveries } from '../../../store/federation-tables.js';
import type { Row, Tables } from '../../../store/port.js';
import type { KeyOf } from '../../../store/table.js';

/** A stored delivery. */
export type DeliveryRow = Row<typeof deliveries.partition, typeof deliveries.clustering, StoreDelivery>;
export type DeliveryKey = KeyOf<typeof deliveries.partition> & KeyOf<typeof deliveries.clustering>;

/** Time for which a delivery is tried: Mastodon's, so that a server may be down for a week. */
export const TRIED_MS_MAX = 7 * 86_400_000;
/** A bucket of deliveries takes 9 hours: a host that gets ten a second has 300,000 rows in each. */
const BUCKET_MS = 2 ** 25;
/** A node's clock may be ahead of another's by less than this. */
const AHEAD_MS = 60_000;

/** Returns the bucket of `deliveries` of a time. */
export const deliveryBucket = (atMs: number): number => Math.floor(atMs / BUCKET_MS);

/** Returns the name of a text in keys: 128 bits that no other text has. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** Returns the buckets that may have deliveries of `fromMs` or later. Older ones are not tried any more. */
export function openBuckets(fromMs: number, nowMs: number): number[] {
  const first = deliveryBucket(Math.max(fromMs, nowMs - TRIED_MS_MAX - BUCKET_MS));
  const count = deliveryBucket(nowMs + AHEAD_MS) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => first + index);
}

/** Yields the deliveries of a host from a time on, oldest first, in pages. */
export async function* deliveryPages(
  tables: Pick<Tables, 'range'>,
  host: string,
  fromMs: number,
  nowMs: number,
  limit: number,
): AsyncGenerator<DeliveryRow[]> {
  for (const bucket of openBuckets(fromMs, nowMs)) {
    let after: Partial<KeyOf<typeof deliveries.clustering>> = { atMs: Math.max(0, Math.floor(fromMs) - 1) };
    for (;;) {
      const page = await tables.range(deliveries, { host, bucket }, { after, limit });
      const last = page.at(-1);
      if (last === undefined) break;
      const { atMs, seq, part } = last.key;
      yield page;
      if (page.length < limit) break;
      after = { atMs, seq, part };
    }
  }
}
