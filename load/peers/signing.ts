import { createHash, generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

/** Schemes of signatures: draft-cavage-http-signatures-12 and RFC 9421, both with rsa-v1_5-sha256. */
export type Scheme = 'cavage' | 'rfc9421';

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKeyPem: string;
}

/** Signing on libuv's pool keeps the generator's event loop free. */
const signOnPool = promisify<'sha256', Uint8Array, KeyObject, Buffer>(sign);

/** Makes an RSA key of the size that every server accepts. */
export async function newKeyPair(): Promise<KeyPair> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2_048 });
  return { privateKey, publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
}

/** Returns the headers of a signed POST. @param url the address that the server has for itself */
export async function signedHeaders(
  scheme: Scheme,
  url: URL,
  body: string,
  { keyId, privateKey }: { readonly keyId: string; readonly privateKey: KeyObject },
): Promise<Record<string, string>> {
  const digest = createHash('sha256').update(body).digest('base64');
  const signature64 = async (lines: readonly string[]) =>
    (await signOnPool('sha256', Buffer.from(lines.join('\n')), privateKey)).toString('base64');
  const nowMs = Date.now();
  const date = new Date(nowMs).toUTCString();
  if (scheme === 'cavage') {
    const signature = await signature64([
      `(request-target): post ${url.pathname}`,
      `host: ${url.host}`,
      `date: ${date}`,
      `digest: SHA-256=${digest}`,
    ]);
    const names = '(request-target) host date digest';
    const header = `keyId="${keyId}",algorithm="rsa-sha256",headers="${names}",signature="${signature}"`;
    return { host: url.host, date, digest: `SHA-256=${digest}`, signature: header };
  }
  const contentDigest = `sha-256=:${digest}:`;
  const parameters = `("@method" "@target-uri" "content-digest");created=${Math.floor(nowMs / 1_000)};keyid="${keyId}";alg="rsa-v1_5-sha256"`;
  const signature = await signature64([
    '"@method": POST',
    `"@target-uri": ${url.href}`,
    `"content-digest": ${contentDigest}`,
    `"@signature-params": ${parameters}`,
  ]);
  return {
    ...{ host: url.host, date, 'content-digest': contentDigest },
    ...{ 'signature-input': `sig1=${parameters}`, signature: `sig1=:${signature}:` },
  };
}
