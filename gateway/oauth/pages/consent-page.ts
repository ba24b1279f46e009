import { type Html, html, nothing } from '../../../actors/domain/text/html.js';
import type { Answer } from '../../http/route.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { formActionOf, OUT_OF_BAND } from '../redirects.js';
import { hidden, layout } from './layout.js';

export interface Consent {
  readonly appName: string;
  readonly website: string | undefined;
  readonly username: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly csrf: string;
  /** Parameters of the request, which the form sends back. */
  readonly fields: Readonly<Record<string, string | undefined>>;
}

interface Group {
  readonly title: string;
  readonly pattern: RegExp;
  /** Meaning of the complete scope. Its parts are listed by name. */
  readonly whole: string;
  /** Absent: no warning. */
  readonly mark?: string;
}

const CHANGES = 'can change things';
const GROUPS: readonly Group[] = [
  {
    title: 'Moderate',
    pattern: /^admin:/,
    whole: 'See and change what moderators can',
    mark: 'a moderator’s powers',
  },
  {
    title: 'Act in your name',
    pattern: /^write(?::|$)/,
    whole: 'Post, edit, delete, and change your settings',
    mark: CHANGES,
  },
  {
    title: 'Change whom you follow',
    pattern: /^follow$/,
    whole: 'Follow, mute and block for you',
    mark: CHANGES,
  },
  { title: 'Read', pattern: /^read(?::|$)/, whole: 'See your timelines, posts, lists and settings' },
  { title: 'Know who you are', pattern: /^profile$/, whole: 'See your public profile' },
  { title: 'Notify', pattern: /^push$/, whole: 'Receive your notifications' },
];

export function consentPage(instance: InstanceSettings, consent: Consent): Answer {
  const { appName, website, username, scopes, fields, csrf, redirectUri } = consent;
  const link = website === undefined ? nothing : html` (<a href="${website}" rel="nofollow noreferrer">${website}</a>)`;
  const form = hidden({ ...fields, csrf });
  // An application chooses its own name, but not the redirect target, so the page shows that.
  const body = html`<p><strong><bdi>${appName}</bdi></strong>${link} asks to use your account <strong>@${username}</strong>. It could:</p>
<ul>${GROUPS.flatMap((group) => shown(group, scopes))}</ul>
<p class="next">${destination(redirectUri)}</p>
<form method="post" action="/oauth/authorize">${form}
<button type="submit" name="decision" value="authorize">Authorize</button>
<button type="submit" name="decision" value="deny" class="plain">Deny</button></form>
<form method="post" action="/auth/sign_out">${form}<button type="submit" class="quiet">Use another account</button></form>`;
  return layout(instance, `Authorize ${appName}`, body, { formAction: formActionOf(redirectUri) });
}

function shown({ title, pattern, whole, mark }: Group, scopes: readonly string[]): Html[] {
  const held = scopes.filter((scope) => pattern.test(scope));
  if (held.length === 0) return [];
  const parts = held.map((scope) => scope.split(':').slice(1).join(' ').replaceAll('_', ' '));
  // `admin:read` and `admin:write` count as complete scopes.
  const isPart = parts.every((part) => part !== '' && part !== 'read' && part !== 'write');
  const meaning = isPart ? `Only: ${parts.join(', ')}` : whole;
  const warning = mark === undefined ? nothing : html`<span class="mark">${mark}</span>`;
  return [
    html`<li><p class="group"><strong>${title}</strong>${warning}</p><p>${meaning}</p><code>${held.join(' ')}</code></li>`,
  ];
}

function destination(redirectUri: string): Html {
  if (redirectUri === OUT_OF_BAND) return html`You will be shown a code for it.`;
  const { protocol, host } = new URL(redirectUri);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return html`Either way you then go to <strong>${isWeb ? host : `the app for ${protocol}`}</strong>.`;
}

/** Page with the code, for clients without a redirect address (urn:ietf:wg:oauth:2.0:oob). */
export function codePage(instance: InstanceSettings, code: string): Answer {
  const body = html`<p>Copy this code into the application:</p><code class="out" tabindex="0">${code}</code>`;
  return layout(instance, 'Authorization code', body);
}
