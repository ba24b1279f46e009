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
  VALIDITY_MS_MAX,
} from './checked.js';
import { isDigestOf } from './digests.js';

// draft-cavage-http-signatures-12, as servers of the fediverse use it.

/** A signature of the draft, with its algorithm: `hs2019` stands for that of the key. */
export interface CavageSignature extends StatedSignature {
  readonly isRsaSha256: boolean;
}

/** Parameters of one header; the draft has six. */
const PARAMETERS_MAX = 16;
/** The form of a date in HTTP (RFC 9110 §5.6.7). `Date.parse` takes many others. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Parses the header `Signature`. Never throws; the time is linear in its length. */
export function parseCavage(header: string): CavageSignature | Refusal {
  const stated = parametersOf(header);
  if (stated === undefined) return refusal('The header Signature is malformed');
  const {
    keyId = '',
    algorithm = 'hs2019',
    headers = '',
    signature = '',
    created,
    expires,
  } = Object.fromEntries(stated);
  if (keyId === '' || keyId.length > KEY_ID_CHARS_MAX) return refusal('The signature names no key');
  const isRsaSha256 = algorithm.toLowerCase() === 'rsa-sha256';
  if (!isRsaSha256 && algorithm.toLowerCase() !== 'hs2019') return refusal('The algorithm is not supported');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(signature)) return refusal('The signature is not base64');
  const bytes = Buffer.from(signature, 'base64');
  if (bytes.length > SIGNATURE_BYTES_MAX) return refusal('The signature is too long');
  const covered = headers.toLowerCase().split(' ');
  if (covered.length > COVERED_MAX || new Set(covered).size !== covered.length) {
    return refusal('The list of signed headers is malformed');
  }
  if (![created, expires].every((time) => time === undefined || /^\d{1,12}$/.test(time))) {
    return refusal('A time of the signature is malformed');
  }
  return {
    ...{ scheme: 'cavage', keyId, signature: bytes, covered, isRsaSha256 },
    created: created === undefined ? undefined : Number(created),
    expires: expires === undefined ? undefined : Number(expires),
  };
}

/** Returns the parameters by name; undefined if one is malformed or stated twice. */
function parametersOf(header: string): Map<string, string> | undefined {
  if (header.length > HEADER_CHARS_MAX) return undefined;
  const found = new Map<string, string>();
  const parameter = /[ \t]*([A-Za-z]{1,32})=(?:"([^"\\]*)"|(\d{1,12}))[ \t]*(?:,|$)/y;
  while (parameter.lastIndex < header.length) {
    const [, name = '', quoted, number = ''] = parameter.exec(header) ?? [];
    if (name === '' || found.has(name) || found.size >= PARAMETERS_MAX) return undefined;
    found.set(name, quoted ?? number);
  }
  return found;
}

/**
 * Checks everything but the key: covered components, times, digest. Returns the texts that may be signed: with the
 * target as received, then without its query, as Mastodon before 4.3 signs.
 */
export function cavageTexts(
  signature: CavageSignature,
  request: SignedRequest,
  nowMs: number,
): readonly string[] | Refusal {
  const { covered, isRsaSha256 } = signature;
  const isTimed = covered.includes('date') || covered.includes('(created)');
  if (!covered.includes('(request-target)') || !covered.includes('host') || !isTimed) {
    return refusal('The signature must cover (request-target), host and date');
  }
  if (isRsaSha256 && covered.some((name) => name === '(created)' || name === '(expires)')) {
    return refusal('rsa-sha256 has neither (created) nor (expires)');
  }
  const late = lateness(signature, request, nowMs);
  if (late !== undefined) return refusal(late);
  if (hasBody(request.method) && !covered.includes('digest')) return refusal('The signature must cover the digest');
  if (covered.includes('digest') && !isDigestOf(request.headers.get('digest'), request.body)) {
    return refusal('The digest is not that of the body');
  }
  const { target } = request;
  const text = textOf(signature, request, target);
  if (text === undefined) return refusal('A signed header is missing');
  const query = target.indexOf('?');
  if (query === -1) return [text];
  return [text, textOf(signature, request, target.slice(0, query)) ?? text];
}

/** Returns what is wrong with the times. Times that the signature does not cover prolong nothing. */
function lateness(signature: CavageSignature, request: SignedRequest, nowMs: number): string | undefined {
  const { covered, created, expires } = signature;
  if (expires !== undefined && expires * 1_000 < nowMs) return 'The signature has expired';
  const oldestMs = expires !== undefined && covered.includes('(expires)') ? VALIDITY_MS_MAX : 0;
  const times = [
    ...(covered.includes('(created)') ? [(created ?? Number.NaN) * 1_000] : []),
    ...(covered.includes('date') ? [dateMs(request.headers.get('date'))] : []),
  ];
  if (times.some((ms) => Number.isNaN(ms))) return 'The time of the signature is missing or malformed';
  const isFresh = times.every((ms) => ms <= nowMs + CLOCK_SKEW_MS && ms >= nowMs - CLOCK_SKEW_MS - oldestMs);
  return isFresh ? undefined : 'The time of the signature is too far from ours';
}

const dateMs = (text: string | undefined) =>
  text !== undefined && HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;

/** Returns the signed text (§2.3); undefined if a covered header is missing. */
function textOf(
  { covered, created, expires }: CavageSignature,
  { method, host, headers }: SignedRequest,
  target: string,
): string | undefined {
  const derived: Readonly<Record<string, string | number | undefined>> = {
    '(request-target)': `${method.toLowerCase()} ${target}`,
    '(created)': created,
    '(expires)': expires,
    host: headers.get('host')?.toLowerCase() === host.toLowerCase() ? headers.get('host') : host,
  };
  const lines = covered.map((name) => {
    const value = Object.hasOwn(derived, name) ? derived[name] : headers.get(name)?.trim();
    return value === undefined ? undefined : `${name}: ${value}`;
  });
  return lines.includes(undefined) ? undefined : lines.join('\n');
}
