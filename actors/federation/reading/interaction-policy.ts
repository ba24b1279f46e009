import type { Permitted, Policies } from '../../domain/quoting.js';
import { PUBLIC } from '../documents/context.js';
import { canonicalUri } from './uris.js';
import { idsOf, type JsonObject, objectOf } from './values.js';

/**
 * Reads one interaction of an `interactionPolicy`. Only everybody and the owner's followers count; no policy permits
 * nothing. Source: FEP-044f, canQuote; FEP-7aa9, canFeature.
 */
export function policiesIn(
  { interactionPolicy }: JsonObject,
  interaction: 'canQuote' | 'canFeature',
  followersUri: string,
): Policies {
  const policy = objectOf(objectOf(interactionPolicy)?.[interaction]) ?? {};
  const permitted = (allowed: unknown): Permitted => {
    const uris = idsOf(allowed);
    if (uris.includes(PUBLIC)) return 'public';
    const followers = canonicalUri(followersUri);
    return followers !== undefined && uris.includes(followers) ? 'followers' : 'nobody';
  };
  return { automatic: permitted(policy.automaticApproval), manual: permitted(policy.manualApproval) };
}
