import { type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { serializeInnerList } from 'structured-headers';
import type { Signer } from '../port.js';
import type { SignatureScheme } from '../signed-request.js';
import { contentDigestOf, digestOf } from './digests.js';
import { ALGORITHM, baseOf } from './message-signatures.js';

/** A request to another server. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** Undefined for a GET. Never changed: its digest is remembered. */
  readonly body?: Uint8Array | undefined;
}

type Headers = Readonly<Record<string, string>>;

/** Remembers the digest of each body while it is in memory: a post goes to many hosts as one body. */
function oncePerBody(digest: (body: Uint8Array) => string): (body: Uint8Array) => string {
  const known = new WeakMap<Uint8Array, string>();
  return (body) => {
    const text = known.get(body) ?? digest(body);
    known.set(body, text);
    return text;
  };
}
const bodyDigest = oncePerBody(digestOf);
const bodyContentDigest = oncePerBody(contentDigestOf);

const signOnPool = promisify<'sha256', Uint8Array, KeyObject, Buffer>(sign);

/** Returns the headers that sign a request: date, digest of the body, signature. @throws Unavailable without the key */
export const signatureHeaders = (
  scheme: SignatureScheme,
  request: OutgoingRequest,
  signer: Signer,
  nowMs: number,
): Promise<Headers> => (scheme === 'cavage' ? cavage : rfc9421)(request, signer, nowMs);

/** Signs as Mastodon does, with the headers that every server verifies. */
async function cavage({ method, url, body }: OutgoingRequest, signer: Signer, nowMs: number): Promise<Headers> {
  const own = {
    date: new Date(nowMs).toUTCString(),
    ...(body === undefined ? {} : { digest: bodyDigest(body) }),
  };
  const signed = { '(request-target)': `${method.toLowerCase()} ${targetOf(url)}`, host: url.host, ...own };
  const text = Object.entries(signed).map(([name, value]) => `${name}: ${value}`);
  const signature = await signed64(text.join('\n'), signer);
  const parameters = {
    keyId: signer.keyId,
    algorithm: 'rsa-sha256',
    headers: Object.keys(signed).join(' '),
    signature,
  };
  const header = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
  return { ...own, signature: header.join(',') };
}

async function rfc9421({ method, url, body }: OutgoingRequest, signer: Signer, nowMs: number): Promise<Headers> {
  const own = {
    date: new Date(nowMs).toUTCString(),
    ...(body === undefined ? {} : { 'content-digest': bodyContentDigest(body) }),
  };
  const covered = ['@method', '@target-uri', ...(body === undefined ? [] : ['content-digest'])];
  const parameters = serializeInnerList([
    covered.map((name) => [name, new Map()]),
    new Map<string, string | number>([
      ['created', Math.floor(nowMs / 1_000)],
      ['alg', ALGORITHM],
      ['keyid', signer.keyId],
    ]),
  ]);
  const protocol = url.protocol === 'https:' ? 'https' : 'http';
  const request = {
    method,
    target: targetOf(url),
    host: url.host,
    protocol,
    headers: new Map(Object.entries(own)),
  } as const;
  const signature = await signed64(baseOf(covered, parameters, request) ?? '', signer);
  return { ...own, 'signature-input': `sig1=${parameters}`, signature: `sig1=:${signature}:` };
}

const targetOf = ({ pathname, search }: URL) => pathname + search;

/** Signs on libuv's pool. */
async function signed64(text: string, signer: Signer): Promise<string> {
  const signature = await signOnPool('sha256', Buffer.from(text), await signer.privateKey());
  return signature.toString('base64');
}
