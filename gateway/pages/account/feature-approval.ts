import { type Consent, consentOf } from '../../../actors/account/feature-consent.js';
import { isSuspended } from '../../../actors/domain/standing.js';
import type { Relation } from '../../../actors/domain/visibility.js';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import type { StatusPages } from '../status/status-pages.js';
import type { FeatureApproval } from './account.js';

/** Ends of an account's JSON, after its open form. */
const ENDS = { public: endsOf(['public']), followers: endsOf(['followers']), nobody: endsOf([]) } as const;

function endsOf(automatic: FeatureApproval['automatic']) {
  const end = (current_user: FeatureApproval['current_user']) => {
    const approval: FeatureApproval = { automatic, manual: [], current_user };
    return Buffer.from(`,"feature_approval":${JSON.stringify(approval)}}`);
  };
  return { automatic: end('automatic'), denied: end('denied') };
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
  // Other servers state no policy yet, and no policy is no consent.
  const consent = record.remote === undefined ? consentOf(record.profile) : 'nobody';
  const end = ENDS[consent][mayFeature(consent, record, viewer, relation) ? 'automatic' : 'denied'];
  return [pages.openAccount(record), end];
}

function mayFeature(
  consent: Consent,
  { id }: StoreAccountRecord,
  viewer: string | undefined,
  relation: Relation | undefined,
): boolean {
  if (viewer === undefined) return false;
  if (viewer === id) return true;
  if (relation?.blocking === true || relation?.blockedBy === true) return false;
  return consent === 'public' || (consent === 'followers' && relation?.following === true);
}
