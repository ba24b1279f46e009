import { type Consent, consentOf } from '../../../actors/account/feature-consent.js';
import type { Relation } from '../../../actors/domain/visibility.js';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import type { StatusPages } from '../../pages/status-pages.js';
import { isSuspended } from './account.js';

/** The REST API's FeatureApproval. Nobody is asked: it follows from what the owner has set. */
interface FeatureApproval {
  readonly automatic: readonly string[];
  readonly manual: readonly string[];
  readonly current_user: 'automatic' | 'denied';
}

/** What follows an account's JSON without its end. */
const ENDS = { public: endsOf(['public']), followers: endsOf(['followers']), nobody: endsOf([]) } as const;

function endsOf(automatic: FeatureApproval['automatic']) {
  const end = (current_user: FeatureApproval['current_user']) => {
    const approval: FeatureApproval = { automatic, manual: [], current_user };
    return Buffer.from(`,"feature_approval":${JSON.stringify(approval)}}`);
  };
  return { automatic: end('automatic'), denied: end('denied') };
}

/** An account's JSON with whether the viewer may put it into a collection; as it is where nothing is said of it. */
export function withApproval(
  pages: Pick<StatusPages, 'account' | 'openAccount'>,
  record: StoreAccountRecord,
  viewer: string | undefined,
  relation: Relation | undefined,
): readonly Uint8Array[] {
  if (record.profile === undefined || isSuspended(record)) return [pages.account(record)];
  const consent = consentOf(record.profile);
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
