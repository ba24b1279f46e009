/**
 * Headers that browsers need (Fetch standard): any origin, no cookies, and the headers that clients read from answers.
 */
export const CORS_HEADERS: readonly (readonly [string, string])[] = [
  ['access-control-allow-origin', '*'],
  [
    'access-control-expose-headers',
    'Link, X-RateLimit-Reset, X-RateLimit-Limit, X-RateLimit-Remaining, X-Request-Id, Idempotency-Key, Deprecation, Mastodon-Async-Refresh',
  ],
];

/** Longest `Access-Control-Request-Headers`; no client sends a longer one by itself. */
const ASKED_CHARS_MAX = 1_000;
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?: *, *[\w!#$%&'*+.^`|~-]+)*$/;

/**
 * Returns the headers of a preflight's answer. `asked` lists the headers that the browser wants to send. All are
 * allowed, because sending a header has no effect by itself.
 */
export function preflightHeaders(asked = ''): Readonly<Record<string, string>> {
  const isFit = asked.length <= ASKED_CHARS_MAX && HEADER_NAMES.test(asked);
  const usual = 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Requested-With';
  return {
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers': isFit ? asked : usual,
    'access-control-max-age': '86400',
  };
}

/**
 * Headers of HTML pages. There is no form-action: browsers apply it to redirects too, and consent ends in a redirect to
 * the client's own scheme.
 */
export const PAGE_HEADERS: readonly (readonly [string, string])[] = [
  [
    'content-security-policy',
    "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'",
  ],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
];
