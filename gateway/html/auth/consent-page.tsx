import type { Answer } from '../../http/route.js';
import type { Reader, Site } from '../site.js';
import type { Texts } from '../texts/index.js';
import { authPage, Hidden, Ways } from './notice-page.js';

export interface Consent {
  readonly appName: string;
  readonly website: string | undefined;
  readonly username: string;
  readonly scopes: readonly string[];
  /** Absent: the browser goes nowhere, and the page shows a code. */
  readonly redirectUri: string | undefined;
  /** CSP form-action: the redirect leads to the client. */
  readonly formAction: string;
  readonly csrf: string;
  /** Parameters of the request, which the form sends back. */
  readonly fields: Readonly<Record<string, string | undefined>>;
}

/** Scopes of one kind; their texts have the same name. */
type GroupName = 'admin' | 'write' | 'follow' | 'read' | 'profile' | 'push';
interface Group {
  readonly name: GroupName;
  readonly pattern: RegExp;
  /** Absent: no warning. */
  readonly mark?: 'changes' | 'powers';
}

const GROUPS: readonly Group[] = [
  { name: 'admin', pattern: /^admin:/, mark: 'powers' },
  { name: 'write', pattern: /^write(?::|$)/, mark: 'changes' },
  { name: 'follow', pattern: /^follow$/, mark: 'changes' },
  { name: 'read', pattern: /^read(?::|$)/ },
  { name: 'profile', pattern: /^profile$/ },
  { name: 'push', pattern: /^push$/ },
];

/** Controls of the direction of writing: with them, a name would rearrange the text around it. */
const DIRECTION = /[\u202a-\u202e\u2066-\u2069]/gu;

/** Renders the question whether an application may use the account. */
export function consentPage(site: Site, reader: Reader, consent: Consent): Answer {
  const { website, username, scopes, fields, csrf, redirectUri, formAction } = consent;
  const { consent: texts } = reader.texts.auth.access;
  const appName = consent.appName.replaceAll(DIRECTION, '');
  // An application chooses its own name, but not the redirect target, so the page shows that.
  const content = (
    <>
      <p>
        <strong>
          <bdi>{appName}</bdi>
        </strong>
        {website !== undefined && (
          <>
            {' ('}
            <a href={website} rel="nofollow noreferrer">
              {website}
            </a>
            )
          </>
        )}{' '}
        {texts.asks} <strong>@{username}</strong>. {texts.could}
      </p>
      <ul>
        {GROUPS.map((group) => (
          <Granted key={group.name} group={group} scopes={scopes} texts={texts} />
        ))}
      </ul>
      <Destination redirectUri={redirectUri} texts={texts} />
      <form method="post" action="/oauth/authorize">
        <Hidden fields={{ ...fields, csrf }} />
        <button type="submit" name="decision" value="authorize">
          {texts.authorize}
        </button>
        <button type="submit" name="decision" value="deny" class="plain">
          {texts.deny}
        </button>
      </form>
      <form method="post" action="/auth/sign_out">
        <Hidden fields={{ ...fields, csrf }} />
        <button type="submit" class="quiet">
          {texts.other}
        </button>
      </form>
    </>
  );
  return authPage(site, reader, texts.title(appName), content, { formAction });
}

type ConsentTexts = Texts['auth']['access']['consent'];

function Granted({
  group: { name, pattern, mark },
  scopes,
  texts,
}: {
  readonly group: Group;
  readonly scopes: readonly string[];
  readonly texts: ConsentTexts;
}) {
  const held = scopes.filter((scope) => pattern.test(scope));
  if (held.length === 0) return null;
  const parts = held.map((scope) => scope.split(':').slice(1).join(' ').replaceAll('_', ' '));
  // `admin:read` and `admin:write` count as complete scopes.
  const isPart = parts.every((part) => part !== '' && part !== 'read' && part !== 'write');
  const [title, whole] = texts[name];
  return (
    <li>
      <p class="group">
        <strong>{title}</strong>
        {mark !== undefined && <span class="mark">{texts[mark]}</span>}
      </p>
      <p>{isPart ? `${texts.only} ${parts.join(', ')}` : whole}</p>
      <code>{held.join(' ')}</code>
    </li>
  );
}

function Destination({
  redirectUri,
  texts,
}: {
  readonly redirectUri: string | undefined;
  readonly texts: ConsentTexts;
}) {
  if (redirectUri === undefined) return <p class="next">{texts.code}</p>;
  const { protocol, host } = new URL(redirectUri);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return (
    <p class="next">
      {texts.next} <strong>{isWeb ? host : texts.appFor(protocol)}</strong>.
    </p>
  );
}

/** Renders the page with the code, for clients without a redirect address (urn:ietf:wg:oauth:2.0:oob). */
export function codePage(site: Site, reader: Reader, code: string): Answer {
  const { auth, shell } = reader.texts;
  const { consent: texts } = auth.access;
  const content = (
    <>
      <p>{texts.copy}</p>
      <code class="out">{code}</code>
      <p>{texts.copied}</p>
      <Ways ways={[{ href: '/', label: shell.backToFront }]} />
    </>
  );
  return authPage(site, reader, texts.codeTitle, content);
}
