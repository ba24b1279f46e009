import type { SignedRequest } from '../../transport/federation/signed-request.js';
import type { Request } from '../http/route.js';
import type { Services } from '../http/services.js';

type Received = Pick<Request<unknown, unknown, unknown>, 'headers' | 'target'> & {
  readonly services: Pick<Services, 'instance'>;
};

/** Returns a request as its signature is verified: for the host of BASE_URL, whatever a proxy forwards. */
export function signedRequest(
  method: 'GET' | 'POST',
  { services, headers, target }: Received,
  body: Uint8Array,
): SignedRequest {
  const { host, protocol } = new URL(services.instance.baseUrl);
  return {
    ...{ method, target, host, body, headers: new Map(Object.entries(headers)) },
    protocol: protocol === 'http:' ? 'http' : 'https',
  };
}
