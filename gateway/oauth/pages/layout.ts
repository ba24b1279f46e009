import { type Html, html, nothing } from '../../../actors/domain/text/html.js';
import { type Answer, page } from '../../http/route.js';
import type { InstanceSettings } from '../../settings/settings.js';

export function hidden(fields: Readonly<Record<string, string | undefined>>): Html {
  const inputs = Object.entries(fields).map(([name, value]) =>
    value === undefined ? nothing : html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`${inputs}`;
}

/**
 * Renders a whole page. `formAction` lists the targets that its forms may reach, also through redirects (CSP
 * form-action).
 */
export function layout(
  instance: InstanceSettings,
  title: string,
  body: Html,
  options: { readonly status?: number; readonly formAction?: string; readonly cookie?: string | undefined } = {},
): Answer {
  const text = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – ${instance.domain}</title><link rel="stylesheet" href="/auth/style.css"></head>
<body><main><p class="site">${instance.domain}</p><h1>${title}</h1>${body}</main></body></html>`;
  return page(text.html, options.status ?? 200, {
    'cache-control': 'no-store',
    // Browsers then send the origin with each form, and it is checked.
    'referrer-policy': 'same-origin',
    'content-security-policy': `default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action ${options.formAction ?? "'self'"}`,
    ...(options.cookie === undefined ? {} : { 'set-cookie': options.cookie }),
  });
}

/** Renders a page with an error and no action. */
export function faultPage(instance: InstanceSettings, title: string, text: string, status: number): Answer {
  return layout(instance, title, html`<p class="fault" role="alert">${text}</p>`, { status });
}
