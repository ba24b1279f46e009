import type { FederationClient } from '../../../transport/federation/port.js';
import type { DomainPolicies } from '../../domain/servers/domain-policy.js';
import { hostOf } from '../reading/uris.js';

type Fetching = Pick<FederationClient, 'object' | 'jrd'>;

/** Status of the answer to a fetch that a policy forbids: as if the other server had refused it. */
const FORBIDDEN = 403;

/** Returns a client that fetches nothing from suspended servers. It passes documents on, and reads none. */
export function policedClient(client: Fetching, policies: DomainPolicies): Fetching {
  const unlessSuspended = (method: keyof Fetching) => async (url: string) => {
    const host = hostOf(url);
    if (host === undefined) return { kind: 'unusable', reason: 'not an address' } as const;
    return policies.of(host).suspended ? ({ kind: 'refused', status: FORBIDDEN } as const) : client[method](url);
  };
  return { object: unlessSuspended('object'), jrd: unlessSuspended('jrd') };
}
