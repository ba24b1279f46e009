import { html, nothing } from '../../../actors/domain/text/html.js';
import type { Answer } from '../../http/route.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { hidden, layout } from './layout.js';

export interface SignInForm {
  readonly csrf: string;
  /** Authorization request that continues after the sign-in, as a query. */
  readonly next: string;
  readonly fault?: string;
  readonly login?: string;
  readonly status?: number;
  readonly cookie?: string | undefined;
  /** CSP form-action: the redirects after the sign-in may lead to the client. */
  readonly formAction?: string;
}

export function signInPage(instance: InstanceSettings, form: SignInForm): Answer {
  const { status, cookie, formAction, fault } = form;
  const body = html`${fault === undefined ? nothing : html`<p class="fault" role="alert">${fault}</p>`}
<form method="post" action="/auth/sign_in">${hidden({ csrf: form.csrf, next: form.next })}
<label for="login">E-mail address or username</label>
<input id="login" name="login" autocomplete="username" autocapitalize="none" spellcheck="false" required maxlength="254" value="${form.login ?? ''}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="128">
<button type="submit">Sign in</button></form>
<p><a href="/auth/password/new">Forgot your password?</a></p>`;
  return layout(instance, 'Sign in', body, {
    cookie,
    ...(status === undefined ? {} : { status }),
    ...(formAction === undefined ? {} : { formAction }),
  });
}
