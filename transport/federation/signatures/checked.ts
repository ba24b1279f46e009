import type { SignatureScheme } from '../signed-request.js';

/** The reason why a request has no valid signature; safe for its sender. */
export interface Refusal {
  readonly problem: string;
}

export const refusal = (problem: string): Refusal => ({ problem });

/** A signature as its headers state it; nothing of it is checked. */
export interface StatedSignature {
  readonly scheme: SignatureScheme;
  readonly keyId: string;
  readonly signature: Uint8Array;
  /** Covered components, lower case, each once. */
  readonly covered: readonly string[];
  /** Unix time in seconds. */
  readonly created: number | undefined;
  readonly expires: number | undefined;
}

/** Longest header that contains a signature or describes one. Honest ones have some 700 characters. */
export const HEADER_CHARS_MAX = 8_192;
/** Longest address of a key. */
export const KEY_ID_CHARS_MAX = 2_048;
/** Covered components. Honest signatures cover three to eight. */
export const COVERED_MAX = 32;
/** Longest signature: that of an RSA key of 8,192 bits. */
export const SIGNATURE_BYTES_MAX = 1_024;
/** Largest difference between the clocks of two servers. Source: Mastodon, an hour. */
export const CLOCK_SKEW_MS = 3_600_000;
/** Longest validity that a signature may state. Source: Mastodon, 12 hours. */
export const VALIDITY_MS_MAX = 43_200_000;

/** Returns true if a body is expected, which a signature must cover by a digest. */
export const hasBody = (method: string): boolean => !/^(?:GET|HEAD)$/i.test(method);
