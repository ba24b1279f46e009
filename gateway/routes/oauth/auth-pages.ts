import { Type } from '@sinclair/typebox';
import { isProblem } from '../../../actors/domain/problem.js';
import { html } from '../../../actors/domain/text/html.js';
import { signInPage } from '../../html/auth/sign-in-page.js';
import { siteOf } from '../../html/site.js';
import { WEB_CLIENT } from '../../http/api-call.js';
import { tokenHash } from '../../http/authenticator.js';
import { addressKey } from '../../http/limits/client-address.js';
import { type AnyRoute, redirect, route } from '../../http/route.js';
import { authorizationFields, requestFields } from '../../oauth/authorization-request.js';
import { field } from '../../oauth/form.js';
import { guardsOf } from '../../oauth/guards.js';
import { faultPage, layout } from '../../oauth/pages/layout.js';
import { checkPassword } from '../../oauth/password-check.js';
import {
  browserCookie,
  browserOf,
  csrfOf,
  endedCookie,
  isOwnForm,
  knownVisit,
  sessionCookie,
  sessionOf,
  visitOf,
} from '../../oauth/session.js';
import { describedSignIn } from '../../oauth/sign-in-origin.js';
import { issueToken } from '../../oauth/tokens.js';
import { readerWith } from '../html/reader.js';
import { foreignForm } from './authorize.js';
import { tooMany } from './passwords.js';

/** Longest authorization request, as a query, that continues after the sign-in. */
const NEXT_CHARS_MAX = 8_000;

/** Returns the text if it is a path of this server; undefined for any other address. */
const ownPath = (text: string): string | undefined => (/^\/(?![/\\])[\x21-\x7e]*$/.test(text) ? text : undefined);

const showSignIn = route({
  method: 'GET',
  path: '/auth/sign_in',
  auth: 'none',
  query: Type.Object({ return_to: field(NEXT_CHARS_MAX) }),
  handle: async (request) => {
    const { services, headers, query } = request;
    const session = await sessionOf(services, headers);
    const returnTo = ownPath(query.return_to);
    if (session !== undefined && returnTo !== undefined) return redirect(returnTo, 303);
    if (session !== undefined) {
      const form = html`<p><a href="/auth/sessions">Browsers and applications</a></p>
<form method="post" action="/auth/sign_out"><input type="hidden" name="csrf" value="${csrfOf(session.token)}">
<button type="submit" class="plain">Sign out</button></form>`;
      return layout(services.instance, `Signed in as @${session.account.username}`, form);
    }
    const visit = visitOf(services, headers);
    return signInPage(await siteOf(services), readerWith(request, undefined), {
      csrf: csrfOf(visit.value),
      next: '',
      returnTo,
      cookie: visit.cookie,
    });
  },
});

const signIn = route({
  method: 'POST',
  path: '/auth/sign_in',
  auth: 'none',
  body: Type.Object({
    csrf: field(),
    next: field(NEXT_CHARS_MAX),
    return_to: field(NEXT_CHARS_MAX),
    login: field(),
    password: field(),
  }),
  handle: async (request) => {
    const { services, body, headers, remoteAddress } = request;
    const returnTo = ownPath(body.return_to);
    const [site, reader] = [await siteOf(services), readerWith(request, undefined)];
    const visit = knownVisit(headers);
    if (visit === undefined || !isOwnForm(services, headers, visit, body.csrf)) return foreignForm(services);
    const again = (fault: string, status: number) =>
      signInPage(site, reader, {
        csrf: csrfOf(visit),
        next: body.next,
        returnTo,
        login: body.login,
        fault,
        status,
      });
    const browser = browserOf(services, headers);
    const { login, password } = body;
    const checked = await checkPassword(services, { login, password, remoteAddress, browser });
    if (checked === 'too_many') return again('Too many attempts. Please try again in a quarter of an hour.', 429);
    if (checked === undefined) return again('Invalid e-mail address, username or password.', 422);
    // A session of these accounts would not be accepted, and the form would reappear without an explanation.
    if (checked.disabled) return again('This account is disabled.', 403);
    if (checked.suspended) return again('This account is suspended.', 403);
    if (!checked.approved) return again('This account is waiting for approval by a moderator.', 403);
    const signedIn = describedSignIn(services, checked.id, remoteAddress, headers['user-agent']);
    const token = await issueToken(services, checked.id, WEB_CLIENT, [], 'session', signedIn);
    if (isProblem(token)) return token;
    // The redirect always leads to the authorization page of this server, whatever the field contains.
    const location = body.next === '' ? (returnTo ?? '/web') : `/oauth/authorize?${new URLSearchParams(body.next)}`;
    const cookies = [browserCookie(services, checked.id, browser)];
    return { ...redirect(location, 303, { 'set-cookie': sessionCookie(services, token) }), cookies };
  },
});

const signOut = route({
  method: 'POST',
  path: '/auth/sign_out',
  auth: 'none',
  body: Type.Object({ ...authorizationFields, csrf: field() }),
  handle: async ({ services, body, headers }) => {
    const session = await sessionOf(services, headers);
    if (session === undefined || !isOwnForm(services, headers, session.token, body.csrf)) return foreignForm(services);
    const hash = tokenHash(session.token);
    const revoked = await services.askAccount(session.account.id, 'revokeToken', { tokenHash: hash });
    if (isProblem(revoked)) return revoked;
    const next = new URLSearchParams(requestFields(body)).toString();
    const location = next === '' ? '/auth/sign_in' : `/oauth/authorize?${next}`;
    return redirect(location, 303, { 'set-cookie': endedCookie(services) });
  },
});

const confirm = route({
  method: 'GET',
  path: '/auth/confirmation',
  auth: 'none',
  query: Type.Object({ confirmation_token: field() }),
  handle: async ({ services, query, remoteAddress }) => {
    const address = addressKey(remoteAddress);
    const { wrongLinks } = guardsOf(services);
    const { rateLimits } = services.instance;
    if (rateLimits && !wrongLinks.take(address)) return tooMany(services);
    const wrong = () => faultPage(services.instance, 'Not confirmed', 'This link is invalid or incomplete.', 422);
    const link = services.keyedTokens.read('confirmation', query.confirmation_token);
    if (link === undefined) return wrong();
    const confirmed = await services.askAccount(link.account, 'confirmEmail', { nonce: link.nonce });
    if (isProblem(confirmed)) return wrong();
    if (rateLimits) wrongLinks.giveBack(address);
    const text = html`<p>Your e-mail address is confirmed. You can go back to your application, or sign in here.</p>
<p><a href="/auth/sign_in">Sign in</a></p>`;
    return layout(services.instance, 'Thank you', text);
  },
});

export const authPageRoutes: readonly AnyRoute[] = [showSignIn, signIn, signOut, confirm];
