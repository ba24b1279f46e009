import { type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';
import type { SchemeMemory } from './port.js';
import { type CavageSignature, cavageTexts, parseCavage } from './signatures/cavage.js';
import { type Refusal, refusal } from './signatures/checked.js';
import { type MessageSignature, parseMessageSignature, signatureBase } from './signatures/message-signatures.js';
import { PublicKeys } from './signatures/public-keys.js';
import type { ParsedSignature, SignedRequest } from './signed-request.js';

const verifyOnPool = promisify<'sha256', Uint8Array, KeyObject, Uint8Array, boolean>(verify);

/**
 * Returns the key that a request names, before it is fetched. A request with `Signature-Input` has only a signature of
 * RFC 9421. Pure; the time is linear in the length of the headers, which is bounded.
 */
export const parseSignature = (request: SignedRequest): ParsedSignature => stated(request);

function stated({ headers }: SignedRequest): CavageSignature | MessageSignature | Refusal {
  const [input, signature] = [headers.get('signature-input'), headers.get('signature')];
  if (signature === undefined) return refusal('The request is not signed');
  return input === undefined ? parseCavage(signature) : parseMessageSignature(input, signature);
}

/** Verifies signatures of requests with the keys of their senders, which it parses once. */
export class SignatureVerifier {
  readonly #keys: PublicKeys;

  readonly #schemes: SchemeMemory | undefined;

  /** @param schemes notes hosts that sign by RFC 9421: they verify it, too */
  constructor(caches: ConstructorParameters<typeof PublicKeys>[0], schemes?: SchemeMemory) {
    this.#keys = new PublicKeys(caches);
    this.#schemes = schemes;
  }

  /**
   * Verifies the parameters of a signature (times, covered components, digest) and, on libuv's pool, the signature
   * itself. Never throws.
   */
  async verify(request: SignedRequest, publicPem: string, nowMs: number): Promise<true | Refusal> {
    const signature = stated(request);
    if ('problem' in signature) return signature;
    const texts = textsOf(signature, request, nowMs);
    if ('problem' in texts) return texts;
    const key = this.#keys.of(publicPem);
    if (key === undefined) return refusal('The key is not an RSA key of 2,048 to 8,192 bits');
    for (const text of texts) {
      if (!(await verifyOnPool('sha256', Buffer.from(text), key, signature.signature))) continue;
      if (this.#schemes !== undefined) noteScheme(this.#schemes, signature);
      return true;
    }
    return refusal('The signature is not that of the key');
  }
}

/** Notes the scheme of a host about which nothing is known: an answer of the host itself counts more. */
function noteScheme(schemes: SchemeMemory, { keyId, scheme }: CavageSignature | MessageSignature): void {
  if (scheme !== 'rfc9421' || !URL.canParse(keyId)) return;
  const { host } = new URL(keyId);
  if (schemes.schemeOf(host) === undefined) schemes.remember(host, scheme);
}

function textsOf(
  signature: CavageSignature | MessageSignature,
  request: SignedRequest,
  nowMs: number,
): readonly string[] | Refusal {
  if ('isRsaSha256' in signature) return cavageTexts(signature, request, nowMs);
  const base = signatureBase(signature, request, nowMs);
  return typeof base === 'string' ? [base] : base;
}
