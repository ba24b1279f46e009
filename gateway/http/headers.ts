/** As browsers need it (Fetch standard): any origin, no cookies, and what clients read from answers. */
export const CORS_HEADERS: readonly (readonly [string, string])[] = [
  ['access-control-allow-origin', '*'],
  [
    'access-control-expose-headers',
    'Link, X-RateLimit-Reset, X-RateLimit-Limit, X-RateLimit-Remaining, X-Request-Id, Idempotency-Key, Deprecation',
  ],
];

/** Added to a preflight's answer. */
export const PREFLIGHT_HEADERS: readonly (readonly [string, string])[] = [
  ['access-control-allow-methods', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
  ['access-control-allow-headers', 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Requested-With'],
  ['access-control-max-age', '86400'],
];

/**
 * For pages. No form-action: browsers apply it to redirects too, and consent ends in one to the client's own scheme.
 */
export const PAGE_HEADERS: readonly (readonly [string, string])[] = [
  [
    'content-security-policy',
    "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'",
  ],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
];
