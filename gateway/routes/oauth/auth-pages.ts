import { Type } from '@sinclair/typebox';
import { isProblem } from '../../../actors/domain/problem.js';
import { noticePage } from '../../html/auth/notice-page.js';
import { askCodePage } from '../../html/auth/second-factor-pages.js';
import { signedInPage } from '../../html/auth/sessions-page.js';
import { signInPage } from '../../html/auth/sign-in-page.js';
import { siteOf } from '../../html/site.js';
import { tokenHash } from '../../http/authenticator.js';
import { type AnyRoute, redirect, route } from '../../http/route.js';
import { authorizationFields, requestFields } from '../../oauth/authorization-request.js';
import { requestOptions } from '../../oauth/factors/passkeys.js';
import { newTicket } from '../../oauth/factors/second-factor.js';
import { csrfField, field } from '../../oauth/form.js';
import { countLink } from '../../oauth/guards.js';
import { checkPassword } from '../../oauth/password-check.js';
import { browserOf, csrfOf, endedCookie, isOwnForm, knownVisit, sessionOf, visitOf } from '../../oauth/session.js';
import { readerWith } from '../html/reader.js';
import { enter, NEXT_CHARS_MAX, ownPath, shutOut } from './enter.js';
import { foreignForm, plainPage, refuse, tooMany } from './refusals.js';

/** Page of the sign-in. */
export const showSignIn = route({
  method: 'GET',
  path: '/auth/sign_in',
  auth: 'none',
  query: Type.Object({ return_to: field(NEXT_CHARS_MAX), next: field(NEXT_CHARS_MAX) }),
  handle: async (request) => {
    const { services, headers, query } = request;
    const session = await sessionOf(services, headers);
    const returnTo = ownPath(query.return_to);
    if (session !== undefined && returnTo !== undefined) return redirect(returnTo, 303);
    if (session !== undefined) {
      const reader = readerWith(request, session);
      return signedInPage(await siteOf(services), reader, {
        username: session.account.username,
        csrf: csrfOf(session.token),
      });
    }
    const visit = visitOf(services, headers);
    return signInPage(await siteOf(services), readerWith(request, undefined), {
      csrf: csrfOf(visit.value),
      passkeys: requestOptions(services, visit.value),
      next: query.next,
      returnTo,
      login: request.refused?.typed.login ?? '',
      cookie: visit.cookie,
    });
  },
});

const signIn = route({
  method: 'POST',
  path: '/auth/sign_in',
  auth: 'none',
  page: showSignIn,
  body: Type.Object({
    csrf: csrfField(),
    next: field(NEXT_CHARS_MAX),
    return_to: field(NEXT_CHARS_MAX),
    login: field(),
    password: field(),
  }),
  handle: async (request) => {
    const { services, body, headers, remoteAddress } = request;
    const returnTo = ownPath(body.return_to);
    const [site, reader] = await plainPage(request);
    const { signInFaults: faults } = reader.texts.auth.access;
    const visit = knownVisit(headers);
    if (visit === undefined || !isOwnForm(services, headers, visit, body.csrf)) return foreignForm(request);
    const again = (fault: string, status: number) =>
      signInPage(site, reader, {
        csrf: csrfOf(visit),
        passkeys: requestOptions(services, visit),
        next: body.next,
        returnTo,
        login: body.login,
        fault,
        status,
      });
    const browser = browserOf(services, headers);
    const { login, password } = body;
    const checked = await checkPassword(services, { login, password, remoteAddress, browser });
    if (checked === 'too_many') return again(faults.tooMany, 429);
    if (checked === undefined) return again(faults.wrong, 422);
    const shut = shutOut(checked, faults);
    if (shut !== undefined) return again(shut, 403);
    const factor = await services.askAccount(checked.id, 'secondFactor', {});
    if (isProblem(factor)) return factor;
    if (factor.nonce === undefined) return enter(request, checked.id, { next: body.next, returnTo });
    const ticket = newTicket(services, checked.id);
    return askCodePage(site, reader, { csrf: csrfOf(visit), next: body.next, returnTo, ticket });
  },
});

const signOut = route({
  method: 'POST',
  path: '/auth/sign_out',
  auth: 'none',
  page: showSignIn,
  body: Type.Object({ ...authorizationFields, csrf: csrfField() }),
  handle: async (request) => {
    const { services, body, headers } = request;
    const session = await sessionOf(services, headers);
    if (session === undefined || !isOwnForm(services, headers, session.token, body.csrf)) return foreignForm(request);
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
  handle: async (request) => {
    const { services, query, remoteAddress } = request;
    const isRight = countLink(services, remoteAddress);
    if (isRight === undefined) return tooMany(request);
    const [site, reader] = await plainPage(request);
    const { auth, front } = reader.texts;
    const ways = [{ href: '/auth/sign_in', label: auth.signIn }];
    const wrong = () => refuse(request, 'notConfirmed', 422, { ways });
    const link = services.keyedTokens.read('confirmation', query.confirmation_token);
    if (link === undefined) return wrong();
    const confirmed = await services.askAccount(link.account, 'confirmEmail', { nonce: link.nonce });
    if (isProblem(confirmed)) return wrong();
    isRight();
    const { thanks, confirmed: text } = auth.access;
    return noticePage(site, reader, { title: thanks, text, ways: [...ways, { href: '/#apps', label: front.apps }] });
  },
});

export const authPageRoutes: readonly AnyRoute[] = [showSignIn, signIn, signOut, confirm];
