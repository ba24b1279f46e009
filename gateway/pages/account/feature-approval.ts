import { consentOf, remoteConsentOf } from '../../../actors/account/feature-consent.js';
import { type Approval, approvalBy, type Policies } from '../../../actors/domain/quoting.js';
import { isSuspended } from '../../../actors/domain/standing.js';
import type { Relation } from '../../../actors/domain/visibility.js';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { APPROVALS, approvalIndex } from '../approvals.js';
import type { StatusPages } from '../status/status-pages.js';

/** Ends of an account's JSON, after its open form, by the index of the approval. */
const ENDS = APPROVALS.map((approval) => Buffer.from(`,"feature_approval":${JSON.stringify(approval)}}`));

/**
 * Renders an account with the permission of the viewer to add it to a collection. Without a profile, and for a
 * suspended account, the field is absent.
 */
export function withApproval(
  pages: Pick<StatusPages, 'account' | 'openAccount'>,
  record: StoreAccountRecord,
  viewer: string | undefined,
  relation: Relation | undefined,
): readonly Uint8Array[] {
  if (record.profile === undefined || isSuspended(record)) return [pages.account(record)];
  const { remote } = record;
  const { automatic, manual }: Policies =
    remote === undefined ? { automatic: consentOf(record.profile), manual: 'nobody' } : remoteConsentOf(remote);
  const index = approvalIndex(automatic, manual, currentOf({ automatic, manual }, record.id, viewer, relation));
  return [pages.openAccount(record), ENDS[index] as Buffer];
}

function currentOf(
  policies: Policies,
  id: string,
  viewer: string | undefined,
  relation: Relation | undefined,
): Approval {
  if (viewer === undefined) return 'denied';
  if (viewer === id) return 'automatic';
  if (relation?.blocking === true || relation?.blockedBy === true) return 'denied';
  return approvalBy(policies, relation?.following === true);
}
