import type { DomainPolicies } from '../actors/domain/servers/domain-policy.js';
import { type AccountKeys, INSTANCE_KEY } from '../actors/federation/account-keys.js';
import { instanceActorUri } from '../actors/federation/documents/actor.js';
import { CachedSchemes, type SchemeMemory } from '../transport/federation/scheme-memory.js';
import { SignedClient, type SignedClientOptions } from '../transport/federation/signed-client.js';
import { SignatureVerifier } from '../transport/federation/verification.js';
import type { NodeBase } from './base.js';

/** The exchange of this node with other servers. */
export interface Federation {
  readonly client: SignedClient;
  readonly signatures: SignatureVerifier;
  /** Signature schemes that other servers accept. */
  readonly schemes: SchemeMemory;
}

export function openFederation(
  { settings, clock, caches }: NodeBase,
  connections: Pick<SignedClientOptions, 'guard' | 'userAgent' | 'resolve'>,
  keys: AccountKeys,
  domains: DomainPolicies,
): Federation {
  const schemes = new CachedSchemes(caches);
  const instance = keys.signerOf(INSTANCE_KEY, instanceActorUri(settings.BASE_URL));
  return {
    client: new SignedClient({
      ...connections,
      clock,
      instance,
      schemes,
      isSuspended: (host) => domains.of(host).suspended,
    }),
    signatures: new SignatureVerifier(caches),
    schemes,
  };
}
