import { encode } from 'uqr';
import type { Answer } from '../../http/route.js';
import { Csrf, Labelled } from '../parts/form.js';
import type { Reader, Site } from '../site.js';
import { authPage, Fault, Hidden, Ways } from './notice-page.js';

/** Longest code that is typed: a recovery code with its hyphens, and some spaces. */
const CODE_CHARS_MAX = 40;

const CodeField = ({ label, isOtpOnly }: { readonly label: string; readonly isOtpOnly?: boolean }) => (
  <Labelled name="code" label={label}>
    <input
      id="code"
      name="code"
      autoComplete="one-time-code"
      inputMode={isOtpOnly === true ? 'numeric' : 'text'}
      autoCapitalize="none"
      spellcheck={false}
      required
      maxLength={CODE_CHARS_MAX}
    />
  </Labelled>
);

/** The field for one's own password, which changes of the ways to sign in ask for. */
export const PasswordField = ({ label }: { readonly label: string }) => (
  <Labelled name="password" label={label}>
    <input id="password" name="password" type="password" autoComplete="current-password" required maxLength={128} />
  </Labelled>
);

/** Renders the question for a code, after the password. */
export function askCodePage(
  site: Site,
  reader: Reader,
  form: {
    readonly csrf: string;
    readonly ticket: string;
    readonly next: string;
    readonly returnTo: string | undefined;
    readonly fault?: string;
    readonly status?: number;
  },
): Answer {
  const { auth } = reader.texts;
  const { csrf, ticket, next, returnTo = '', fault, status = 200 } = form;
  const content = (
    <>
      <Fault text={fault} />
      <p>{auth.otp.askText}</p>
      <form method="post" action="/auth/sign_in/code">
        <Hidden fields={{ csrf, ticket, next, return_to: returnTo }} />
        <CodeField label={auth.otp.code} />
        <button type="submit">{auth.signIn}</button>
      </form>
      <Ways ways={[{ href: next === '' ? '/auth/sign_in' : `/oauth/authorize?${next}`, label: auth.otp.again }]} />
    </>
  );
  return authPage(site, reader, auth.otp.ask, content, { status });
}

/** Renders the form that turns a second factor on. */
export function enrolmentPage(
  site: Site,
  reader: Reader,
  form: {
    readonly token: string;
    readonly uri: string;
    readonly secret: string;
    readonly isDisabled?: boolean;
    readonly fault?: string;
    readonly status?: number;
  },
): Answer {
  const { access, otp } = reader.texts.auth;
  const { token, uri, secret, isDisabled, fault, status = 200 } = form;
  const content = (
    <>
      {isDisabled === true && (
        <p class="done" role="status">
          {otp.disabled}
        </p>
      )}
      <Fault text={fault} />
      <p>{otp.intro}</p>
      <p>{otp.scan}</p>
      <Picture text={uri} label={otp.picture} />
      <p>{otp.secret}</p>
      <code class="out">{secret}</code>
      <form method="post" action="/settings/otp">
        <Csrf reader={reader} />
        <Hidden fields={{ token }} />
        <PasswordField label={otp.password} />
        <CodeField label={otp.firstCode} isOtpOnly />
        <button type="submit">{otp.enable}</button>
      </form>
      <Ways ways={[{ href: '/auth/sessions', label: access.sessions.title }]} />
    </>
  );
  return authPage(site, reader, otp.title, content, { status });
}

/** A QR code. Dark on light in both schemes, because many apps read no other. */
function Picture({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x},${y}h1v1h-1z` : ''))).join('');
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} width="100%" shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

/** Renders the recovery codes, once. */
export function recoveryCodesPage(site: Site, reader: Reader, codes: readonly string[]): Answer {
  const { access, otp } = reader.texts.auth;
  const content = (
    <>
      <p class="done" role="status">
        {otp.enabled}
      </p>
      <p>{otp.keep}</p>
      <ul>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Ways ways={[{ href: '/auth/sessions', label: access.sessions.title }]} />
    </>
  );
  return authPage(site, reader, otp.title, content);
}

/** Renders the form that turns the second factor off. */
export function enabledPage(
  site: Site,
  reader: Reader,
  form: { readonly codesLeft: number; readonly fault?: string; readonly status?: number },
): Answer {
  const { access, otp } = reader.texts.auth;
  const { codesLeft, fault, status = 200 } = form;
  const content = (
    <>
      <Fault text={fault} />
      <p>{otp.enabled}</p>
      <p>{otp.left(codesLeft)}</p>
      <p class="soft">{otp.disableHint}</p>
      <form method="post" action="/settings/otp/disable">
        <Csrf reader={reader} />
        <PasswordField label={otp.password} />
        <CodeField label={otp.code} />
        <button type="submit" class="danger">
          {otp.disable}
        </button>
      </form>
      <Ways ways={[{ href: '/auth/sessions', label: access.sessions.title }]} />
    </>
  );
  return authPage(site, reader, otp.title, content, { status });
}
