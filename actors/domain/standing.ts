import type { StoreAccountRecord } from '../../proto/gen/types.js';
import type { DomainPolicies } from './servers/domain-policy.js';

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

/** Returns true for an account that is kept in memory of its owner, by moderators here or by its own server. */
export const isMemorial = ({ memorial, remote }: StoreAccountRecord): boolean =>
  memorial === true || remote?.memorial === true;

/** Returns true when moderators keep the owner from signing in, and tokens from being used. */
export const isShutOut = (record: StoreAccountRecord): boolean =>
  record.disabled || isSuspended(record) || record.memorial === true;

/** Copies of records, so that a rendered one is found again by its record. */
const suspendedCopies = new WeakMap<StoreAccountRecord, StoreAccountRecord>();

/** Returns the record of an account of a suspended server as that of a suspended account; others as they are. */
export function asLimited(record: StoreAccountRecord, domains: DomainPolicies): StoreAccountRecord {
  if (record.domain === '' || !domains.of(record.domain).suspended || isSuspended(record)) return record;
  const known = suspendedCopies.get(record);
  if (known !== undefined) return known;
  const copy = { ...record, suspendedAtMs: record.createdAtMs };
  suspendedCopies.set(record, copy);
  return copy;
}

const DAY_MS = 86_400_000;

/**
 * Returns the start of the day on which the account was created: the exact moment of signing up is not public. Source:
 * Mastodon REST::AccountSerializer.
 */
export const signUpDayMs = ({ createdAtMs }: Pick<StoreAccountRecord, 'createdAtMs'>): number =>
  Math.floor(createdAtMs / DAY_MS) * DAY_MS;
