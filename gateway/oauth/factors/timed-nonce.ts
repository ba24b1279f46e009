import { NONCE_BYTES } from '../../../actors/domain/keyed-tokens.js';

/** Bytes of a time in milliseconds. */
const TIME_BYTES = 6;

/** Returns the nonce of a token that expires: a time, then the bytes that are given. */
export function timedNonce(atMs: number, bytes: Uint8Array): string {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.set(bytes.subarray(0, NONCE_BYTES - TIME_BYTES), TIME_BYTES);
  nonce.writeUIntBE(Math.floor(atMs), 0, TIME_BYTES);
  return nonce.toString('base64url');
}

/** Returns the time in a nonce. */
export const timeOf = (nonce: string): number => Buffer.from(nonce, 'base64url').readUIntBE(0, TIME_BYTES);
