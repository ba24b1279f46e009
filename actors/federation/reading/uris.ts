/** Longest address that is read. Addresses of actors and objects are shorter everywhere. */
const URI_CHARS_MAX = 2_048;

/** Characters that URL parsers drop or replace, so that two readers could disagree about the host. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are refused.
const AMBIGUOUS = /[\u0000-\u0020\u007f-\u00a0\\\u2028\u2029\ufeff]/;

/** An address of another server: `origin` is normalised, `rest` begins with the path and is as received. */
interface Parts {
  readonly origin: string;
  readonly rest: string;
}

/**
 * Returns the parts of an http or https address. Undefined: not an address, or one with user information. The host is
 * in lower case and punycode, without a final dot and without the default port.
 */
function partsOf(uri: string): Parts | undefined {
  if (uri.length > URI_CHARS_MAX || AMBIGUOUS.test(uri)) return undefined;
  const [, scheme, authority, rest = ''] = /^(https?):\/\/([^/?#]+)(.*)$/is.exec(uri) ?? [];
  if (scheme === undefined || authority === undefined || authority.includes('@')) return undefined;
  const parsed = URL.canParse(`${scheme}://${authority}/`) ? new URL(`${scheme}://${authority}/`) : undefined;
  const hostname = parsed?.hostname.replace(/\.$/, '') ?? '';
  if (parsed === undefined || hostname === '') return undefined;
  const port = parsed.port === '' ? '' : `:${parsed.port}`;
  return { origin: `${parsed.protocol}//${hostname}${port}`, rest };
}

/**
 * Returns the origin of an address, such as `https://far.example`, normalised. Undefined: no address of another server.
 */
export const originOf = (uri: string): string | undefined => partsOf(uri)?.origin;

/** Returns host and port of an address, normalised: the key of everything that is counted or limited per host. */
export const hostOf = (uri: string): string | undefined => partsOf(uri)?.origin.replace(/^https?:\/\//, '');

/**
 * Returns the one spelling of an address under which it is stored and compared: only scheme and host are normalised.
 */
export function canonicalUri(uri: string): string | undefined {
  const parts = partsOf(uri);
  return parts === undefined ? undefined : parts.origin + parts.rest;
}

/** Returns true if both are addresses of one origin. */
export function isSameOrigin(one: string | undefined, other: string | undefined): boolean {
  const origin = one === undefined ? undefined : originOf(one);
  return origin !== undefined && other !== undefined && originOf(other) === origin;
}
