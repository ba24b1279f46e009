import type { StoreAccountRecord } from '../../proto/gen/types.js';

/** Returns true for an account that others may see: confirmed and approved. */
export function isPublished(record: StoreAccountRecord): boolean {
  return record.confirmed && record.approved;
}

/** Returns true for a suspended or permanently deleted account, of which no content is shown. */
export function isSuspended(record: StoreAccountRecord): boolean {
  return (record.suspendedAtMs ?? 0) > 0 || record.removed === true;
}

/** Returns true for an account that appears to others: published and not suspended. */
export const isThere = (record: StoreAccountRecord): boolean => isPublished(record) && !isSuspended(record);
