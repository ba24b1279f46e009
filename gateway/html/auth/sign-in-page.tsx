import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import type { Answer } from '../../http/route.js';
import { htmlAnswer } from '../page.js';
import { scriptPath } from '../script-files.js';
import type { Reader, Site } from '../site.js';
import { Hidden } from './notice-page.js';
import { PasskeyForm } from './passkeys-page.js';

/** State of the form of a sign-in. */
export interface SignInForm {
  readonly csrf: string;
  /** Challenge for a sign-in with a passkey. */
  readonly passkeys: PublicKeyCredentialRequestOptionsJSON;
  /** Authorization request that continues after the sign-in, as a query. */
  readonly next: string;
  /** Path of this server to which the sign-in leads, if there is no authorization request. */
  readonly returnTo?: string | undefined;
  readonly fault?: string;
  readonly login?: string;
  readonly status?: number;
  readonly cookie?: string | undefined;
  /** CSP form-action: the redirects after the sign-in may lead to the client. */
  readonly formAction?: string;
}

/** Renders the form of a sign-in. */
export function signInPage(site: Site, reader: Reader, form: SignInForm): Answer {
  const { csrf, passkeys, next, returnTo = '', fault, login = '', ...view } = form;
  const { auth } = reader.texts;
  const signUp = next === '' ? '/auth/sign_up' : `/auth/sign_up?${new URLSearchParams({ next })}`;
  const body = (
    <>
      <h1>{auth.signIn}</h1>
      {fault !== undefined && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      <form method="post" action="/auth/sign_in">
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="next" value={next} />
        <input type="hidden" name="return_to" value={returnTo} />
        <label for="login">{auth.login}</label>
        <input
          id="login"
          name="login"
          autoComplete="username"
          autoCapitalize="none"
          spellcheck={false}
          required
          maxLength={254}
          value={login}
        />
        <label for="password">{auth.password}</label>
        <input id="password" name="password" type="password" autoComplete="current-password" required maxLength={128} />
        <button type="submit">{auth.signIn}</button>
      </form>
      <PasskeyForm action="/auth/sign_in/passkey" kind="get" options={passkeys} texts={auth.passkeys}>
        <Hidden fields={{ csrf, next, return_to: returnTo }} />
        <button type="submit" class="plain">
          {auth.passkeys.signIn}
        </button>
      </PasskeyForm>
      <p>
        <a href="/auth/password/new">{auth.forgot}</a>
      </p>
      {site.canSignUp && (
        <p>
          {auth.noAccount} <a href={signUp}>{auth.create}</a>
        </p>
      )}
    </>
  );
  return htmlAnswer(
    site,
    reader,
    { title: auth.signIn, width: 'form', isUnlisted: true, script: scriptPath('passkeys'), ...view },
    body,
  );
}
