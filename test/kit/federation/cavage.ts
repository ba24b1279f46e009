import { createHash, createSign, createVerify, type KeyObject } from 'node:crypto';

// Signatures of draft-cavage-http-signatures-12, written for the tests alone: a second opinion on the product's own.

/** The parts of a request that a signature covers. */
export interface Covered {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Changes to a usual signature, for tests of senders that do it otherwise or wrong. */
export interface CavageOptions {
  readonly algorithm?: string;
  /** Covered components; default: (request-target) host date digest. */
  readonly covered?: readonly string[];
  readonly atMs?: number;
  readonly digest?: string;
}

export const digestOf = (body: Uint8Array | string): string =>
  `SHA-256=${createHash('sha256').update(body).digest('base64')}`;

const lineOf =
  ({ method, target, headers }: Covered) =>
  (name: string): string =>
    `${name}: ${name === '(request-target)' ? `${method.toLowerCase()} ${target}` : (headers[name] ?? '')}`;

/** Returns the headers of a signed request; a request with a body has a digest. */
export function signCavage(
  request: Covered,
  body: string | undefined,
  key: { readonly id: string; readonly privateKey: KeyObject },
  options: CavageOptions = {},
): Record<string, string> {
  const date = new Date(options.atMs ?? Date.now()).toUTCString();
  const digest = body === undefined ? {} : { digest: options.digest ?? digestOf(body) };
  const headers: Record<string, string> = { ...request.headers, date, ...digest };
  const usual = ['(request-target)', 'host', 'date', ...(body === undefined ? [] : ['digest'])];
  const covered = options.covered ?? usual;
  const text = covered.map(lineOf({ ...request, headers })).join('\n');
  const signature = createSign('sha256').update(text).sign(key.privateKey, 'base64');
  const algorithm = options.algorithm ?? 'rsa-sha256';
  headers.signature = `keyId="${key.id}",algorithm="${algorithm}",headers="${covered.join(' ')}",signature="${signature}"`;
  return headers;
}

/** Returns the key id of a valid signature; undefined if it does not fit the request. */
export function verifyCavage(request: Covered, pemOf: (keyId: string) => string | undefined): string | undefined {
  const fields = new Map<string, string>();
  for (const [, name = '', value = ''] of (request.headers.signature ?? '').matchAll(/(\w+)="([^"]*)"/g)) {
    fields.set(name, value);
  }
  const keyId = fields.get('keyId') ?? '';
  const pem = pemOf(keyId);
  if (pem === undefined) return undefined;
  const text = (fields.get('headers') ?? 'date').split(' ').map(lineOf(request)).join('\n');
  const isValid = createVerify('sha256')
    .update(text)
    .verify(pem, fields.get('signature') ?? '', 'base64');
  return isValid ? keyId : undefined;
}
