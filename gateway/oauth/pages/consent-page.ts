import type { Answer } from '../../http/route.js';
import type { InstanceSettings } from '../../services.js';
import { formActionOf } from '../redirects.js';
import { type Html, hidden, html, layout, nothing } from './layout.js';

export interface Consent {
  readonly appName: string;
  readonly website: string | undefined;
  readonly username: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly csrf: string;
  /** The request's parameters, which come back with the form. */
  readonly fields: Readonly<Record<string, string | undefined>>;
}

const MEANINGS: readonly (readonly [string, RegExp, string])[] = [
  ['Administration', /^admin:/, 'See and change what moderators can'],
  ['Everything you can do', /^write(:|$)/, 'Post, edit, delete and change settings for you'],
  ['Whom you follow', /^follow$/, 'Follow, mute and block for you'],
  ['What you can see', /^read(:|$)/, 'Read your posts, timelines, lists and settings'],
  ['Who you are', /^profile$/, 'Read your public profile'],
  ['Push', /^push$/, 'Receive your notifications'],
];
const DANGEROUS = /^(write(:|$)|follow$|admin:)/;

export function consentPage(instance: InstanceSettings, consent: Consent): Answer {
  const { appName, website, username, scopes, fields, csrf } = consent;
  const link = website === undefined ? nothing : html` (<a href="${website}" rel="nofollow noreferrer">${website}</a>)`;
  const form = hidden({ ...fields, csrf });
  const body = html`<p><strong>${appName}</strong>${link} asks to use your account <strong>@${username}</strong>. It could:</p>
<ul>${groups(scopes)}</ul>
<form method="post" action="/oauth/authorize">${form}
<button type="submit" name="decision" value="authorize">Authorize</button>
<button type="submit" name="decision" value="deny" class="plain">Deny</button></form>
<form method="post" action="/auth/sign_out">${form}<button type="submit" class="plain">Use another account</button></form>`;
  return layout(instance, `Authorize ${appName}`, body, { formAction: formActionOf(consent.redirectUri) });
}

function groups(scopes: readonly string[]): Html[] {
  return MEANINGS.flatMap(([title, pattern, meaning]) => {
    const held = scopes.filter((scope) => pattern.test(scope));
    if (held.length === 0) return [];
    const mark = held.some((scope) => DANGEROUS.test(scope)) ? 'danger' : 'harmless';
    return [html`<li class="${mark}"><strong>${title}</strong><br>${meaning}<br><code>${held.join(' ')}</code></li>`];
  });
}

/** For clients that cannot be redirected to (urn:ietf:wg:oauth:2.0:oob). */
export function codePage(instance: InstanceSettings, code: string): Answer {
  const body = html`<p>Copy this code into the application:</p><code class="out" tabindex="0">${code}</code>`;
  return layout(instance, 'Authorization code', body);
}
