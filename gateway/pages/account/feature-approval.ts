import { type Consent, consentOf, remoteConsentOf } from '../../../actors/account/feature-consent.js';
import { isSuspended } from '../../../actors/domain/standing.js';
import type { Relation } from '../../../actors/domain/visibility.js';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import type { StatusPages } from '../status/status-pages.js';
import type { FeatureApproval } from './account.js';

type Approval = 'automatic' | 'manual' | 'denied';
type Consents = ReturnType<typeof remoteConsentOf>;

/** Ends of an account's JSON, after its open form, by the consents and the viewer's approval: 27 at most. */
const ends = new Map<string, Buffer>();

const named = (consent: Consent): FeatureApproval['automatic'] => (consent === 'nobody' ? [] : [consent]);

function endOf({ automatic, manual }: Consents, current_user: Approval): Buffer {
  const key = `${automatic} ${manual} ${current_user}`;
  let end = ends.get(key);
  if (end === undefined) {
    const approval: FeatureApproval = { automatic: named(automatic), manual: named(manual), current_user };
    end = Buffer.from(`,"feature_approval":${JSON.stringify(approval)}}`);
    ends.set(key, end);
  }
  return end;
}

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
  const consents: Consents =
    remote === undefined ? { automatic: consentOf(record.profile), manual: 'nobody' } : remoteConsentOf(remote);
  return [pages.openAccount(record), endOf(consents, approvalOf(consents, record, viewer, relation))];
}

function approvalOf(
  { automatic, manual }: Consents,
  { id }: StoreAccountRecord,
  viewer: string | undefined,
  relation: Relation | undefined,
): Approval {
  if (viewer === undefined) return 'denied';
  if (viewer === id) return 'automatic';
  if (relation?.blocking === true || relation?.blockedBy === true) return 'denied';
  const isAmong = (consent: Consent) =>
    consent === 'public' || (consent === 'followers' && relation?.following === true);
  if (isAmong(automatic)) return 'automatic';
  return isAmong(manual) ? 'manual' : 'denied';
}
