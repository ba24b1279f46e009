import { createHash } from 'node:crypto';

/** Characters of a hash: 128 bits, so that nobody finds another address with the same. */
const HASH_CHARS = 32;
/** Pattern of the hash of an address. */
export const REMOTE_HASH = `^[0-9a-f]{${HASH_CHARS}}$`;

/** Returns the part of a proxied address that names the file of another server. */
export const remoteHash = (url: string): string => createHash('sha256').update(url).digest('hex').slice(0, HASH_CHARS);

/** The record that names a file: that of a status or of an account. */
export interface MediaOwner {
  readonly of: 'statuses' | 'accounts';
  readonly id: string;
}

/** Returns the address under which this server shows a file of another one; routes/media/media-proxy.ts serves it. */
export const remoteMediaUrl = (
  { baseUrl }: { readonly baseUrl: string },
  { of, id }: MediaOwner,
  url: string,
): string => `${baseUrl}/media_proxy/${of}/${id}/${remoteHash(url)}`;
