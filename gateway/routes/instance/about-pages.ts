import { type Html, html, nothing } from '../../../actors/domain/text/html.js';
import { renderHtml } from '../../../actors/domain/text/plain-text.js';
import type { Answer, AnyRoute } from '../../http/route.js';
import { route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { layout } from '../../oauth/pages/layout.js';
import { notFound } from '../../viewing/visible.js';
import { aboutOf } from './about.js';
import { termsThatHold } from './instance.js';

/** Declares a public page. */
const show = (path: string, what: (services: Services) => Promise<Answer | ReturnType<typeof notFound>>): AnyRoute =>
  route({ method: 'GET', path, auth: 'none', handle: ({ services }) => what(services) });

/** Page that clients show before a sign-up, also served at `/`. */
async function about(
  services: Pick<Services, 'entries' | 'askInstance' | 'registry' | 'instance' | 'tables' | 'clock' | 'knownServers'>,
): Promise<Answer> {
  const { title, description, rules, contactEmail, hasTerms } = await aboutOf(services);
  const more = await written(services, 'extended_description');
  const items = rules.map(
    ({ text }) => html`<li>${text?.text ?? ''}${text?.hint ? html` – ${text.hint}` : nothing}</li>`,
  );
  const body = html`<p>${description}</p>${more ?? nothing}
${items.length === 0 ? nothing : html`<h2>Rules</h2><ol>${items}</ol>`}
<p>Sign in with an application for Mastodon, at ${services.instance.domain}.${contactEmail === '' ? nothing : html` Questions go to ${contactEmail}.`}</p>
<p><a href="/privacy-policy">Privacy policy</a>${hasTerms ? html` · <a href="/terms-of-service">Terms of service</a>` : nothing} · <a href="/auth/sign_in">Your sessions</a></p>`;
  return layout(services.instance, title, body);
}

async function privacyPolicy(services: Pick<Services, 'entries' | 'instance'>): Promise<Answer> {
  const text = await written(services, 'privacy_policy');
  return layout(services.instance, 'Privacy policy', text ?? html`<p>Nothing has been written here yet.</p>`);
}

async function terms(
  services: Pick<Services, 'entries' | 'instance' | 'clock'>,
): Promise<Answer | ReturnType<typeof notFound>> {
  const entry = await termsThatHold(services);
  if (entry === undefined) return notFound();
  return layout(services.instance, 'Terms of service', asHtml(services, entry.text?.text ?? ''));
}

/** Returns the text of a setting, or undefined if nobody has written it. */
async function written(services: Pick<Services, 'entries' | 'instance'>, setting: string): Promise<Html | undefined> {
  const text = (await services.entries.setting(setting))?.text?.text;
  return text ? asHtml(services, text) : undefined;
}

const asHtml = ({ instance }: Pick<Services, 'instance'>, text: string): Html => ({
  html: renderHtml(text, { mentions: new Map(), baseUrl: instance.baseUrl }),
});

/** Pages about the instance, for people. */
export const aboutPageRoutes: readonly AnyRoute[] = [
  show('/', about),
  show('/about', about),
  show('/privacy-policy', privacyPolicy),
  show('/terms-of-service', terms),
];
