import { createPublicKey, type KeyObject } from 'node:crypto';
import { Cache, type Caches } from '../../../store/cache/cache.js';

/** Parsed keys, some 2 KB each. Parsing one takes a third of the time of a verification. */
const KEYS_CACHED_MAX = 20_000;
/** Longest text of a key: one of 8,192 bits has 1,500 characters. */
const PEM_CHARS_MAX = 4_096;
/** Smallest size that counts as safe (NIST SP 800-131A), and the largest whose verification is cheap. */
const [MODULUS_BITS_MIN, MODULUS_BITS_MAX] = [2_048, 8_192];
/** Public exponents in use are 3, 17 and 65,537. The time of a verification grows with their length. */
const EXPONENT_MAX = 2n ** 32n;

/** Public keys of other servers, parsed once. */
export class PublicKeys {
  readonly #parsed: Cache<KeyObject>;

  constructor(caches: Caches | undefined) {
    this.#parsed = new Cache('federation_keys', KEYS_CACHED_MAX, caches);
  }

  /** Returns a key (PEM, SPKI or PKCS#1); undefined if it is no RSA key of a usable size. */
  of(pem: string): KeyObject | undefined {
    const known = this.#parsed.get(pem);
    if (known !== undefined) return known;
    const key = parsed(pem);
    if (key !== undefined) this.#parsed.set(pem, key);
    return key;
  }
}

function parsed(pem: string): KeyObject | undefined {
  // OpenSSL derives a public key from private keys and certificates, too.
  if (pem.length > PEM_CHARS_MAX || !/^\s*-----BEGIN (?:RSA )?PUBLIC KEY-----/.test(pem)) return undefined;
  try {
    const key = createPublicKey(pem);
    const { modulusLength = 0, publicExponent = EXPONENT_MAX } = key.asymmetricKeyDetails ?? {};
    const isUsable =
      key.asymmetricKeyType === 'rsa' &&
      modulusLength >= MODULUS_BITS_MIN &&
      modulusLength <= MODULUS_BITS_MAX &&
      publicExponent < EXPONENT_MAX;
    return isUsable ? key : undefined;
  } catch {
    return undefined;
  }
}
