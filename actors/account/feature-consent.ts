import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { type Permitted, type Policies, permittedIn } from '../domain/quoting.js';
import type { Slice } from '../runtime/slice.js';
import type { State as ProfileState } from './profile.js';
import type { RelationState } from './relations.js';
import type { State as StandingState } from './standing.js';

export interface Commands {
  featureConsent: { in: P.AccountFeatureConsent; out: P.AccountFeatureConsented };
}

/** The accounts that may add an account to collections: everybody, its followers, or nobody. */
export type Consent = Permitted;

/** Derives the consent from the profile: an account that does not want to be discovered is in no collection. */
export function consentOf({ discoverable, locked }: Pick<P.AccountProfile, 'discoverable' | 'locked'>): Consent {
  if (!discoverable) return 'nobody';
  return locked ? 'followers' : 'public';
}

/** Returns the accounts that may feature an account of another server, and those that may ask it. Source: FEP-7aa9. */
export const remoteConsentOf = ({ featurePolicy, manualFeaturePolicy }: P.StoreRemoteActor): Policies => ({
  automatic: permittedIn(featurePolicy),
  manual: permittedIn(manualFeaturePolicy),
});

/** Returns the accounts that may send a request to feature an account of another server. Its server decides. */
export function askableBy(remote: P.StoreRemoteActor): Consent {
  const { automatic, manual } = remoteConsentOf(remote);
  if (automatic === 'public' || manual === 'public') return 'public';
  return automatic === 'followers' || manual === 'followers' ? 'followers' : 'nobody';
}

/** Returns true if an account must not learn whether it may feature the account, which is deleted, suspended or blocked. */
export const isHiddenFrom = (
  { moderation, blocking, blockedBy }: Readonly<RelationState & StandingState>,
  by: string,
): boolean => moderation.deleted || moderation.suspendedAtMs > 0 || blocking.has(by) || blockedBy.has(by);

/** Answers whether the account may be featured in others' collections (collections.ts). Records nothing. */
export const featureConsent: Slice<ProfileState & RelationState & StandingState, Commands, object> = {
  decide: {
    featureConsent(state, { by }) {
      return { events: [], reply: { consent: isHiddenFrom(state, by) ? 'nobody' : consentOf(state.profile) } };
    },
  },
  apply: {},
  commands: {
    featureConsent: {
      in: codec('murmuration.account.FeatureConsent'),
      out: codec('murmuration.account.FeatureConsented'),
      repeats: 'query',
      local: true,
    },
  },
  events: {},
};
