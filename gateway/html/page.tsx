import { createHash } from 'node:crypto';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { type Answer, page } from '../http/route.js';
import { Shell } from './shell.js';
import type { Reader, Site } from './site.js';
import type { View } from './view.js';

/** Content of other origins never loads. Only pages with a script may run one of this server. */
const CSP =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; media-src 'self'; manifest-src 'self'; base-uri 'none'";
const CSP_SCRIPT = "; script-src 'self'; connect-src 'self'";

/** A year, as browsers' lists demand (RFC 6797). */
const HSTS = 'max-age=31536000';

/**
 * Pages that an application may open in a popup. They keep its opener: the application's callback page, which follows in
 * the same window, hands the code to it. An opener policy on any page of the way would part the two for ever (HTML
 * standard, §7.1.3). On all other pages the policy keeps other sites from steering or watching the window.
 */
const POPUP_PATHS = /^\/(?:auth|oauth)\//;

/** Renders a page. */
export function htmlAnswer(site: Site, reader: Reader, view: View, body: VNode): Answer {
  const html = `<!doctype html>${renderToString(
    <Shell site={site} reader={reader} view={view}>
      {body}
    </Shell>,
  )}`;
  const headers: Record<string, string> = { ...headersOf(site, reader, view), ...view.headers };
  if (view.cookie !== undefined) headers['set-cookie'] = view.cookie;
  if (view.cache === undefined || reader.person !== undefined) return page(html, view.status, headers);
  const etag = `W/"${createHash('sha1').update(html).digest('base64url')}"`;
  Object.assign(headers, { etag, 'cache-control': 'private, no-cache', vary: 'Accept, Accept-Language, Cookie' });
  if (reader.ifNoneMatch === etag) return { status: 304, headers, body: undefined };
  return page(html, view.status, headers);
}

function headersOf({ instance }: Site, { url }: Reader, view: View): Record<string, string> {
  const { formAction = "'self'", isEmbeddable, script } = view;
  const framing = isEmbeddable === true ? '' : "; frame-ancestors 'none'";
  return {
    'cache-control': 'no-store',
    // Browsers then send the origin with each form, and it is checked.
    'referrer-policy': 'same-origin',
    'content-security-policy': `${CSP}${script === undefined ? '' : CSP_SCRIPT}; form-action ${formAction}${framing}`,
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'cross-origin-resource-policy': isEmbeddable === true ? 'cross-origin' : 'same-origin',
    ...(!POPUP_PATHS.test(url) && { 'cross-origin-opener-policy': 'same-origin-allow-popups' }),
    ...(isEmbeddable === true && { 'x-frame-options': '' }),
    ...(instance.baseUrl.startsWith('https:') && { 'strict-transport-security': HSTS }),
  };
}
