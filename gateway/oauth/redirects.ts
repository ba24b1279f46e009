/** The page shows the code, for clients that cannot be redirected to. */
export const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob';
/** Longest redirect URI; Mastodon's limit is the same. */
export const REDIRECT_URI_CHARS_MAX = 2_000;

/** Schemes that would run in our own page or read local files. */
const FORBIDDEN_SCHEMES = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'filesystem:']);

/** True when an application may register the URI: absolute, plain ASCII, no fragment, no dangerous scheme. */
export function isAcceptableRedirect(uri: string): boolean {
  if (uri === OUT_OF_BAND) return true;
  if (uri.length > REDIRECT_URI_CHARS_MAX || !/^[\x21-\x7e]+$/.test(uri) || /[#\\<>"]/.test(uri)) return false;
  if (!URL.canParse(uri)) return false;
  const url = new URL(uri);
  if (FORBIDDEN_SCHEMES.has(url.protocol) || url.username !== '' || url.password !== '') return false;
  // The host goes into the consent page's policy, where ; and , would begin something new.
  return isWeb(url) ? /^[a-z0-9.:[\]_-]+$/.test(url.host) : true;
}

/** The URI with parameters added to what it has. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  if (pairs.length === 0) return uri;
  return `${uri}${uri.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

/** What the consent form's policy must allow so that the browser follows the redirect after it. */
export function formActionOf(uri: string): string {
  if (uri === OUT_OF_BAND) return "'self'";
  const url = new URL(uri);
  // Content Security Policy §2.3.1 has no form for IPv6 addresses: browsers ignore them.
  return `'self' ${isWeb(url) && !url.host.startsWith('[') ? url.origin : url.protocol}`;
}

function isWeb(url: URL): boolean {
  return url.protocol === 'https:' || url.protocol === 'http:';
}
