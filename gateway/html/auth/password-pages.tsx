import type { Answer } from '../../http/route.js';
import type { Reader, Site } from '../site.js';
import { authPage, Fault, Hidden, Ways } from './notice-page.js';

/** Bounds of a password, in characters. */
export interface Lengths {
  readonly min: number;
  readonly max: number;
}

interface PasswordForm {
  readonly csrf: string;
  readonly cookie?: string | undefined;
  readonly fault?: string | undefined;
  readonly status?: number;
  readonly lengths: Lengths;
}

const Fresh = ({ label, lengths: { min, max } }: { readonly label: string; readonly lengths: Lengths }) => (
  <>
    <label for="password">{label}</label>
    <input
      id="password"
      name="password"
      type="password"
      autoComplete="new-password"
      required
      minLength={min}
      maxLength={max}
    />
  </>
);

/** Renders the form that requests a link to a new password. */
export function askResetPage(site: Site, reader: Reader, csrf: string, cookie: string | undefined): Answer {
  const { auth } = reader.texts;
  const { passwords } = auth.access;
  const content = (
    <>
      <form method="post" action="/auth/password">
        <Hidden fields={{ csrf }} />
        <label for="email">{passwords.email}</label>
        <input id="email" name="email" type="email" autoComplete="email" required maxLength={254} />
        <button type="submit">{passwords.sendLink}</button>
      </form>
      <Ways ways={[{ href: '/auth/sign_in', label: auth.signIn }]} />
    </>
  );
  return authPage(site, reader, passwords.askTitle, content, { cookie });
}

/** Renders the form behind a mailed link. */
export function resetPage(site: Site, reader: Reader, form: PasswordForm & { readonly token: string }): Answer {
  const { passwords } = reader.texts.auth.access;
  const { csrf, token, fault, lengths, cookie, status = 200 } = form;
  const content = (
    <>
      <Fault text={fault} />
      <form method="post" action="/auth/password/edit">
        <Hidden fields={{ csrf, reset_password_token: token }} />
        <Fresh label={passwords.fresh} lengths={lengths} />
        <button type="submit">{passwords.change}</button>
      </form>
    </>
  );
  return authPage(site, reader, passwords.resetTitle, content, { cookie, status });
}

/** Renders the form that changes the password of somebody who is signed in. */
export function changePasswordPage(site: Site, reader: Reader, form: PasswordForm): Answer {
  const { passwords, sessions } = reader.texts.auth.access;
  const { csrf, fault, lengths, status = 200 } = form;
  const content = (
    <>
      <Fault text={fault} />
      <form method="post" action="/auth/password/change">
        <Hidden fields={{ csrf }} />
        <label for="current">{passwords.current}</label>
        <input
          id="current"
          name="current"
          type="password"
          autoComplete="current-password"
          required
          maxLength={lengths.max}
        />
        <Fresh label={passwords.fresh} lengths={lengths} />
        <button type="submit">{passwords.change}</button>
      </form>
      <Ways ways={[{ href: '/auth/sessions', label: sessions.title }]} />
    </>
  );
  return authPage(site, reader, passwords.changeTitle, content, { status });
}
