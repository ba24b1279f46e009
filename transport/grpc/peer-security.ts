import { createHash, timingSafeEqual } from 'node:crypto';
import { ChannelCredentials, Metadata, ServerCredentials } from '@grpc/grpc-js';
import { SECRET_KEY } from './peer-protocol.js';

/**
 * Mutual authentication of nodes: by a shared secret (for a private network: the connection is not encrypted), by
 * certificates of the cluster's own authority (mTLS), or both.
 */
export interface PeerSecurity {
  readonly secret?: string;
  readonly tls?: PeerTls;
}

/**
 * PEM. `ca` is the authority that signed all nodes' certificates, which must name the addresses that the nodes are
 * called by.
 */
export interface PeerTls {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Checks that callers can be authenticated. @throws RangeError without a secret and certificates */
export function checkSecurity(security: PeerSecurity): void {
  if (security.tls === undefined && !security.secret) throw new RangeError('calls between nodes need a secret or TLS');
}

export function serverCredentials({ tls }: PeerSecurity): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  return ServerCredentials.createSsl(tls.ca, [{ cert_chain: tls.cert, private_key: tls.key }], true);
}

export function channelCredentials({ tls }: PeerSecurity): ChannelCredentials {
  if (tls === undefined) return ChannelCredentials.createInsecure();
  return ChannelCredentials.createSsl(tls.ca, tls.key, tls.cert);
}

export function callMetadata({ secret }: PeerSecurity): Metadata {
  const metadata = new Metadata();
  if (secret !== undefined) metadata.set(SECRET_KEY, secret);
  return metadata;
}

/** Returns true if the caller knows the secret, or if there is none. Takes constant time. */
export function isAuthentic({ secret }: PeerSecurity, metadata: Metadata): boolean {
  if (secret === undefined) return true;
  const claims = metadata.get(SECRET_KEY);
  const claim = claims.length === 1 ? String(claims[0]) : '';
  return timingSafeEqual(digest(claim), digest(secret));
}

/** Returns a digest, so that compared values have equal lengths. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
