/** Redirect address of clients that cannot be redirected to: the page shows the code. */
export const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob';
/** Longest redirect URI; Mastodon's limit is the same. */
export const REDIRECT_URI_CHARS_MAX = 2_000;

/** Schemes that would run in a page of this server or read local files. */
const FORBIDDEN_SCHEMES = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'filesystem:']);

/** Returns true if an application may register the URI: absolute, plain ASCII, no fragment, no dangerous scheme. */
export function isAcceptableRedirect(uri: string): boolean {
  if (uri === OUT_OF_BAND) return true;
  if (uri.length > REDIRECT_URI_CHARS_MAX || !/^[\x21-\x7e]+$/.test(uri) || /[#\\<>"]/.test(uri)) return false;
  if (!URL.canParse(uri)) return false;
  const url = new URL(uri);
  if (FORBIDDEN_SCHEMES.has(url.protocol) || url.username !== '' || url.password !== '') return false;
  // The host becomes part of the consent page's policy, in which ; and , are separators.
  return isWeb(url) ? /^[a-z0-9.:[\]_-]+$/.test(url.host) : true;
}

/** Adds parameters to a URI. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  if (pairs.length === 0) return uri;
  return `${uri}${uri.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

/** Returns the form-action of the consent page that lets the browser follow the final redirect. */
export function formActionOf(uri: string): string {
  if (uri === OUT_OF_BAND) return "'self'";
  const url = new URL(uri);
  // Content Security Policy §2.3.1 has no syntax for IPv6 addresses: browsers ignore them.
  return `'self' ${isWeb(url) && !url.host.startsWith('[') ? url.origin : url.protocol}`;
}

function isWeb(url: URL): boolean {
  return url.protocol === 'https:' || url.protocol === 'http:';
}
