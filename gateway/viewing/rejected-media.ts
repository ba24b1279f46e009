import type { DomainPolicies } from '../../actors/domain/servers/domain-policy.js';
import type { StoreStatusRecord } from '../../proto/gen/types.js';

/** Copies of records, so that a rendered one is found again by its record. */
const withoutMedia = new WeakMap<StoreStatusRecord, StoreStatusRecord>();

/** Returns a status of a server whose media administrators reject without its media; others as they are. */
export function withoutRejected(record: StoreStatusRecord, domains: DomainPolicies): StoreStatusRecord {
  if (record.domain === undefined || record.media === undefined) return record;
  if (!domains.of(record.domain).rejectsMedia) return record;
  const known = withoutMedia.get(record);
  if (known !== undefined) return known;
  const copy = { ...record, media: undefined };
  withoutMedia.set(record, copy);
  return copy;
}
