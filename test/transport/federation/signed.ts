import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Signer } from '../../../transport/federation/port.js';
import { signatureHeaders } from '../../../transport/federation/signatures/signing.js';
import type { SignatureScheme, SignedRequest } from '../../../transport/federation/signed-request.js';

export interface TestKey {
  readonly privateKey: KeyObject;
  readonly publicPem: string;
  readonly signer: Signer;
}

export const pemOf = (key: KeyObject): string => createPublicKey(key).export({ type: 'spki', format: 'pem' }) as string;

/** Makes an RSA key and a signer with it. */
export function newKey(keyId = 'https://near.example/users/ada#main-key'): TestKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return { privateKey, publicPem: pemOf(privateKey), signer: { keyId, privateKey: async () => privateKey } };
}

/** Signs a request as our client does, and returns it as the server of `url` receives it. */
export async function received(
  scheme: SignatureScheme,
  { method, url, body }: { readonly method: 'GET' | 'POST'; readonly url: URL; readonly body?: Uint8Array | undefined },
  signer: Signer,
  nowMs: number,
): Promise<SignedRequest> {
  const own = await signatureHeaders(scheme, { method, url, body }, signer, nowMs);
  return requestOf(method, url, own, body);
}

export const requestOf = (
  method: string,
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array = new Uint8Array(),
): SignedRequest => ({
  ...{ method, target: url.pathname + url.search, host: url.host, body },
  headers: new Map([
    ['host', url.host],
    ...Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const),
  ]),
});
