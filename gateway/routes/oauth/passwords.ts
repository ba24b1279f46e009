import { Type } from '@sinclair/typebox';
import { isProblem } from '../../../actors/domain/problem.js';
import { html, nothing } from '../../../actors/domain/text/html.js';
import { accounts } from '../../../store/tables.js';
import { tokenHash } from '../../http/authenticator.js';
import { addressKey } from '../../http/limits/client-address.js';
import { type AnyRoute, redirect, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { newNonce } from '../../oauth/clients.js';
import { field } from '../../oauth/form.js';
import { guardsOf } from '../../oauth/guards.js';
import { faultPage, hidden, layout } from '../../oauth/pages/layout.js';
import { checkPassword } from '../../oauth/password-check.js';
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '../../oauth/passwords.js';
import {
  browserCookie,
  browserOf,
  csrfOf,
  endedCookie,
  isOwnForm,
  knownVisit,
  sessionOf,
  visitOf,
} from '../../oauth/session.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { foreignForm } from './authorize.js';

const passwordInput = (name: string, label: string) => html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="password" autocomplete="new-password" required minlength="${String(PASSWORD_CHARS_MIN)}" maxlength="${String(PASSWORD_CHARS_MAX)}">`;

const askPage = (instance: InstanceSettings, csrf: string, cookie: string | undefined) =>
  layout(
    instance,
    'A new password',
    html`<form method="post" action="/auth/password">${hidden({ csrf })}
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" required maxlength="254">
<button type="submit">Send me a link</button></form>`,
    { cookie },
  );

/** Page that requests the address for the link. */
const showAsk = route({
  method: 'GET',
  path: '/auth/password/new',
  auth: 'none',
  handle: async ({ services, headers }) => {
    const visit = visitOf(services, headers);
    return askPage(services.instance, csrfOf(visit.value), visit.cookie);
  },
});

/** Answers equally, and equally fast, with and without such an account. */
const ask = route({
  method: 'POST',
  path: '/auth/password',
  auth: 'none',
  body: Type.Object({ csrf: field(), email: field() }),
  handle: async ({ services, body, headers, remoteAddress }) => {
    const visit = knownVisit(headers);
    if (visit === undefined || !isOwnForm(services, headers, visit, body.csrf)) return foreignForm(services);
    const { rateLimits } = services.instance;
    if (rateLimits && !guardsOf(services).resets.take(addressKey(remoteAddress))) return tooMany(services);
    void mailLink(services, body.email.trim().toLowerCase()).catch(() => undefined);
    const text = html`<p>If there is an account with this address, we have sent it a mail with a link.</p>`;
    return layout(services.instance, 'Check your mail', text);
  },
});

export const tooMany = ({ instance }: Pick<Services, 'instance'>) =>
  faultPage(instance, 'Too many attempts', 'Please try again in a quarter of an hour.', 429);

async function mailLink(
  services: Pick<Services, 'registry' | 'random' | 'askAccount' | 'tables' | 'instance'>,
  email: string,
): Promise<void> {
  const id = email.includes('@') ? await services.registry.find(`email:${email}`) : undefined;
  if (id === undefined) return;
  const record = await services.tables.get(accounts, { account: id });
  // The claim may be stale, so the mail goes only to the account's own address.
  if (record?.email.toLowerCase() !== email) return;
  const unlimited = !services.instance.rateLimits;
  await services.askAccount(id, 'askReset', { nonce: newNonce(services), unlimited });
}

const resetPage = (instance: InstanceSettings, token: string, csrf: string, cookie?: string, fault?: string) =>
  layout(
    instance,
    'Choose a new password',
    html`${fault === undefined ? nothing : html`<p class="fault" role="alert">${fault}</p>`}
<form method="post" action="/auth/password/edit">${hidden({ csrf, reset_password_token: token })}
${passwordInput('password', 'New password')}
<button type="submit">Change the password</button></form>`,
    { cookie, ...(fault === undefined ? {} : { status: 422 }) },
  );

const showReset = route({
  method: 'GET',
  path: '/auth/password/edit',
  auth: 'none',
  query: Type.Object({ reset_password_token: field() }),
  handle: async ({ services, query, headers }) => {
    const visit = visitOf(services, headers);
    return resetPage(services.instance, query.reset_password_token, csrfOf(visit.value), visit.cookie);
  },
});

const lengthFault = (password: string): string | undefined =>
  password.length < PASSWORD_CHARS_MIN || password.length > PASSWORD_CHARS_MAX
    ? `A password has ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters.`
    : undefined;

const reset = route({
  method: 'POST',
  path: '/auth/password/edit',
  auth: 'none',
  body: Type.Object({ csrf: field(), reset_password_token: field(), password: field() }),
  handle: async ({ services, body, headers, remoteAddress }) => {
    const visit = knownVisit(headers);
    if (visit === undefined || !isOwnForm(services, headers, visit, body.csrf)) return foreignForm(services);
    const token = body.reset_password_token;
    const fault = lengthFault(body.password);
    if (fault !== undefined) return resetPage(services.instance, token, csrfOf(visit), undefined, fault);
    const address = addressKey(remoteAddress);
    const { wrongLinks, passwords } = guardsOf(services);
    const { rateLimits } = services.instance;
    if (rateLimits && !wrongLinks.take(address)) return tooMany(services);
    const wrong = () =>
      faultPage(
        services.instance,
        'Not changed',
        'This link is invalid or has expired. Please request a new one.',
        422,
      );
    const link = services.keyedTokens.read('reset', token);
    if (link === undefined) return wrong();
    const { account, nonce } = link;
    // The link is checked before the hash, which costs a hundred times as much.
    if (isProblem(await services.askAccount(account, 'judgeReset', { nonce }))) return wrong();
    if (rateLimits) wrongLinks.giveBack(address);
    const passwordHash = await passwords.hash(body.password);
    const changed = await services.askAccount(account, 'resetPassword', { nonce, passwordHash });
    if (isProblem(changed)) return wrong();
    const text = html`<p>Your password was changed, and every device was signed out.</p>
<p><a href="/auth/sign_in">Sign in</a></p>`;
    // The recipient of the mail is the owner, so the browser may sign in despite failed attempts by strangers.
    const cookies = [browserCookie(services, account, browserOf(services, headers))];
    return { ...layout(services.instance, 'Thank you', text, { cookie: endedCookie(services) }), cookies };
  },
});

const changePage = (instance: InstanceSettings, csrf: string, fault?: string, status = 422) =>
  layout(
    instance,
    'Change your password',
    html`${fault === undefined ? nothing : html`<p class="fault" role="alert">${fault}</p>`}
<form method="post" action="/auth/password/change">${hidden({ csrf })}
<label for="current">Current password</label>
<input id="current" name="current" type="password" autocomplete="current-password" required maxlength="${String(PASSWORD_CHARS_MAX)}">
${passwordInput('password', 'New password')}
<button type="submit">Change the password</button></form>`,
    fault === undefined ? {} : { status },
  );

const showChange = route({
  method: 'GET',
  path: '/auth/password/change',
  auth: 'none',
  handle: async ({ services, headers }) => {
    const session = await sessionOf(services, headers);
    return session === undefined
      ? redirect('/auth/sign_in', 303)
      : changePage(services.instance, csrfOf(session.token));
  },
});

const change = route({
  method: 'POST',
  path: '/auth/password/change',
  auth: 'none',
  body: Type.Object({ csrf: field(), current: field(), password: field() }),
  handle: async ({ services, body, headers, remoteAddress }) => {
    const session = await sessionOf(services, headers);
    if (session === undefined || !isOwnForm(services, headers, session.token, body.csrf)) return foreignForm(services);
    const again = (fault: string, status = 422) => changePage(services.instance, csrfOf(session.token), fault, status);
    const fault = lengthFault(body.password);
    if (fault !== undefined) return again(fault);
    const checked = await checkPassword(services, {
      login: session.account.username,
      password: body.current,
      remoteAddress,
      browser: { account: session.account.id, nonce: tokenHash(session.token) },
    });
    if (checked === 'too_many') return again('Too many attempts. Please try again in a quarter of an hour.', 429);
    if (checked?.id !== session.account.id) return again('The current password is wrong.');
    const passwordHash = await guardsOf(services).passwords.hash(body.password);
    const changed = await services.askAccount(session.account.id, 'changePassword', { passwordHash });
    if (isProblem(changed)) return changed;
    const text = html`<p>Your password was changed, and every device was signed out.</p>
<p><a href="/auth/sign_in">Sign in</a></p>`;
    return layout(services.instance, 'Thank you', text, { cookie: endedCookie(services) });
  },
});

/** Reset and change of passwords. */
export const passwordRoutes: readonly AnyRoute[] = [showAsk, ask, showReset, reset, showChange, change];
