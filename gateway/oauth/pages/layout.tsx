import { type Html, html, nothing } from '../../../actors/domain/text/html.js';
import { htmlAnswer } from '../../html/page.js';
import { Raw } from '../../html/parts/raw.js';
import { plainSite, type Site } from '../../html/site.js';
import { textsIn } from '../../html/texts/index.js';
import type { Answer } from '../../http/route.js';
import type { InstanceSettings } from '../../settings/settings.js';

export function hidden(fields: Readonly<Record<string, string | undefined>>): Html {
  const inputs = Object.entries(fields).map(([name, value]) =>
    value === undefined ? nothing : html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`${inputs}`;
}

/**
 * Renders a page with a form. `formAction` lists the targets that its forms may reach, also through redirects (CSP
 * form-action).
 */
export function layout(
  instance: InstanceSettings,
  title: string,
  body: Html,
  options: {
    readonly status?: number;
    readonly formAction?: string;
    readonly cookie?: string | undefined;
    readonly site?: Site;
  } = {},
): Answer {
  const { site = plainSite(instance), ...rest } = options;
  const reader = { language: 'en', texts: textsIn('en'), url: '' } as const;
  const content = (
    <>
      <h1>
        <bdi>{title}</bdi>
      </h1>
      <Raw html={body.html} />
    </>
  );
  return htmlAnswer(site, reader, { title, width: 'form', isUnlisted: true, ...rest }, content);
}

/** Renders a page with an error and no action. */
export function faultPage(instance: InstanceSettings, title: string, text: string, status: number): Answer {
  const body = html`<p class="fault" role="alert">${text}</p><p><a href="/">Go to the front page</a></p>`;
  return layout(instance, title, body, { status });
}
