import type { FederationClient } from '../../../transport/federation/port.js';
import type { StampDocument } from '../documents/stamp.js';
import { isStampOf, mayStamp } from '../reading/stamp.js';
import { missingOf } from './web-finger.js';

/** `later`: the stamp cannot be fetched now. */
export type StampProof = 'accepted' | 'rejected' | 'later';

/** Fetches a stamp and compares it with the expected one. */
export async function proveStamp(
  client: Pick<FederationClient, 'object'>,
  stamped: StampDocument,
): Promise<StampProof> {
  if (!mayStamp(stamped)) return 'rejected';
  const outcome = await client.object(stamped.id);
  if (outcome.kind !== 'object') return missingOf(outcome).missing === 'later' ? 'later' : 'rejected';
  return isStampOf(outcome.value, outcome.url, stamped) ? 'accepted' : 'rejected';
}
