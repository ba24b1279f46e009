import { createHash } from 'node:crypto';

/** Content of the header `Collection-Synchronization`. Source: FEP-8fcf. */
export interface Synchronization {
  /** Address of the sender's followers. */
  readonly collectionId: string;
  /** Address of the part of them that lives on the receiver's server. */
  readonly url: string;
  /** Digest of that part. */
  readonly digest: string;
}

/** Name of the header, in lower case. */
export const SYNCHRONIZATION_HEADER = 'collection-synchronization';

/** Longest header that is read: two addresses and a digest. */
const HEADER_CHARS_MAX = 4_500;
const DIGEST_BYTES = 32;
/** A parameter and what separates it from the next one. */
const PARAMETER = / *([A-Za-z]{1,40})="([^"]*)" *(?:,|$)/gy;
const PARAMETERS = ['collectionId', 'url', 'digest'] as const;

/** Returns the digest of a part of followers, in any order: the XOR of the SHA-256 of their addresses, in hexadecimal. */
export function followersDigest(uris: Iterable<string>): string {
  const sum = Buffer.alloc(DIGEST_BYTES);
  for (const uri of new Set(uris)) {
    const hash = createHash('sha256').update(uri).digest();
    for (let at = 0; at < DIGEST_BYTES; at++) sum[at] = (sum[at] ?? 0) ^ (hash[at] ?? 0);
  }
  return sum.toString('hex');
}

export const synchronizationHeader = (content: Synchronization): string =>
  PARAMETERS.map((name) => `${name}="${content[name]}"`).join(', ');

/** Reads the header, whose form is that of `Signature`; undefined if a part is missing, repeated or malformed. */
export function readSynchronization(header: string): Synchronization | undefined {
  if (header.length > HEADER_CHARS_MAX) return undefined;
  const found = new Map<string, string>();
  for (const [, name = '', value = ''] of header.matchAll(PARAMETER)) {
    if (found.has(name)) return undefined;
    found.set(name, value);
  }
  const [collectionId, url, digest] = PARAMETERS.map((name) => found.get(name));
  if (!collectionId || !url || digest === undefined || !/^[0-9a-f]{64}$/.test(digest)) return undefined;
  return { collectionId, url, digest };
}
