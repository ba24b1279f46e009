import { type InnerList, parseItem, parseList, serializeInnerList } from 'structured-headers';
import type { SignedRequest } from '../signed-request.js';
import {
  CLOCK_SKEW_MS,
  COVERED_MAX,
  HEADER_CHARS_MAX,
  hasBody,
  KEY_ID_CHARS_MAX,
  type Refusal,
  refusal,
  SIGNATURE_BYTES_MAX,
  type StatedSignature,
} from './checked.js';
import { isContentDigestOf } from './digests.js';

// HTTP Message Signatures (RFC 9421).

/** A signature of the RFC, with its parameters in the form that is signed. */
export interface MessageSignature extends StatedSignature {
  /** `@signature-params` (§2.3). */
  readonly parameters: string;
}

/** The only algorithm: keys of the fediverse are RSA keys (§3.3.2). */
export const ALGORITHM = 'rsa-v1_5-sha256';
/** One member of a dictionary, with its label. */
const MEMBER = /^ *([a-z*][a-z0-9_\-.*]*)=(.+)$/s;

/** Parses the headers `Signature-Input` and `Signature`, which must have exactly one label. Never throws. */
export function parseMessageSignature(input: string, signature: string): MessageSignature | Refusal {
  if (input.length > HEADER_CHARS_MAX || signature.length > HEADER_CHARS_MAX) {
    return refusal('The headers of the signature are too long');
  }
  const [, label, list = ''] = MEMBER.exec(input) ?? [];
  const [, sameLabel, item = ''] = MEMBER.exec(signature) ?? [];
  if (label === undefined || label !== sameLabel)
    return refusal('The request must have exactly one labelled signature');
  try {
    const [inner, ...others] = parseList(list);
    const [bytes] = parseItem(item);
    if (inner === undefined || others.length > 0 || !Array.isArray(inner[0]) || !(bytes instanceof ArrayBuffer)) {
      return refusal('The request must have exactly one labelled signature');
    }
    return statedBy(inner as InnerList, list, new Uint8Array(bytes));
  } catch {
    return refusal('The headers of the signature are malformed');
  }
}

function statedBy(inner: InnerList, text: string, signature: Uint8Array): MessageSignature | Refusal {
  const [items, parameters] = inner;
  const covered = items.flatMap(([name, own]) => (typeof name === 'string' && own.size === 0 ? [name] : []));
  if (covered.length !== items.length) return refusal('Parameters of covered components are not supported');
  const isEachOnce = new Set(covered).size === covered.length && covered.every((name) => name === name.toLowerCase());
  if (covered.length > COVERED_MAX || !isEachOnce) return refusal('The list of covered components is malformed');
  if (countParameters(text) !== parameters.size) return refusal('A parameter of the signature is stated twice');
  const [keyId, alg, created, expires] = ['keyid', 'alg', 'created', 'expires'].map((name) => parameters.get(name));
  if (typeof keyId !== 'string' || keyId === '' || keyId.length > KEY_ID_CHARS_MAX) {
    return refusal('The signature names no key');
  }
  if (alg !== undefined && alg !== ALGORITHM) return refusal('The algorithm is not supported');
  if (!isTime(created) || (expires !== undefined && !isTime(expires))) {
    return refusal('The signature must state when it was created');
  }
  if (signature.length > SIGNATURE_BYTES_MAX) return refusal('The signature is too long');
  return { scheme: 'rfc9421', keyId, signature, covered, created, expires, parameters: serializeInnerList(inner) };
}

const isTime = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;

/** Counts the parameters as written, by the `;` outside of strings; the library drops those that are stated twice. */
function countParameters(text: string): number {
  let count = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (isQuoted && text[at] === '\\') at += 1;
    else if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === ';' && !isQuoted) count += 1;
  }
  return count;
}

/** Checks everything but the key: covered components, times, digest. Returns the signature base (§2.5). */
export function signatureBase(signature: MessageSignature, request: SignedRequest, nowMs: number): string | Refusal {
  const { covered, created = 0, expires } = signature;
  if (!covered.includes('@method') || !covered.includes('@target-uri')) {
    return refusal('The signature must cover @method and @target-uri');
  }
  if (Math.abs(created * 1_000 - nowMs) > CLOCK_SKEW_MS)
    return refusal('The time of the signature is too far from ours');
  if (expires !== undefined && expires * 1_000 < nowMs) return refusal('The signature has expired');
  if (hasBody(request.method) && !covered.includes('content-digest')) {
    return refusal('The signature must cover the content-digest');
  }
  if (covered.includes('content-digest') && !isContentDigestOf(request.headers.get('content-digest'), request.body)) {
    return refusal('The digest is not that of the body');
  }
  const base = baseOf(covered, signature.parameters, request);
  return base ?? refusal('A covered component is missing or not supported');
}

/** Returns the signature base; undefined if a component is missing or unknown. */
export function baseOf(
  covered: readonly string[],
  parameters: string,
  request: Omit<SignedRequest, 'body'>,
): string | undefined {
  const lines = covered.map((name) => {
    const value = name.startsWith('@') ? derivedComponent(name, request) : fieldOf(name, request);
    return value === undefined ? undefined : `"${name}": ${value}`;
  });
  if (lines.includes(undefined)) return undefined;
  return [...lines, `"@signature-params": ${parameters}`].join('\n');
}

/** Returns a derived component of a request (§2.2). */
function derivedComponent(name: string, request: Omit<SignedRequest, 'body'>): string | undefined {
  const { method, target, host, protocol = 'https' } = request;
  const query = target.indexOf('?');
  switch (name) {
    case '@method':
      return method.toUpperCase();
    case '@target-uri':
      return `${protocol}://${host.toLowerCase()}${target}`;
    case '@authority':
      return host.toLowerCase();
    case '@scheme':
      return protocol;
    case '@request-target':
      return target;
    case '@path':
      return query === -1 ? target : target.slice(0, query);
    case '@query':
      return query === -1 ? '?' : target.slice(query);
    default:
      return undefined;
  }
}

const fieldOf = (name: string, { host, headers }: Omit<SignedRequest, 'body'>) =>
  name === 'host' ? host.toLowerCase() : headers.get(name)?.trim();
