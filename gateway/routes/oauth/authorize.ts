import { Type } from '@sinclair/typebox';
import { isProblem } from '../../../actors/domain/problem.js';
import { codePage, consentPage } from '../../html/auth/consent-page.js';
import { signInPage } from '../../html/auth/sign-in-page.js';
import { lookIntoMailPage } from '../../html/auth/sign-up-page.js';
import { siteOf } from '../../html/site.js';
import { tokenHash } from '../../http/authenticator.js';
import { type Answer, type AnyRoute, redirect, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import {
  type AuthorizationFields,
  type AuthorizationRequest,
  authorizationFields,
  deny,
  isRefused,
  readRequest,
  requestFields,
  type ShowFault,
} from '../../oauth/authorization-request.js';
import { newSecret } from '../../oauth/clients.js';
import { requestOptions } from '../../oauth/factors/passkeys.js';
import { csrfField, field } from '../../oauth/form.js';
import { formActionOf, OUT_OF_BAND, withParameters } from '../../oauth/redirects.js';
import { grantable } from '../../oauth/scopes.js';
import { csrfOf, isOwnForm, type Session, sessionOf, visitOf } from '../../oauth/session.js';
import { readerWith } from '../html/reader.js';
import { type Asked, foreignForm, plainPage, refuse } from './refusals.js';

/**
 * Address at which Mastodon shows a code, too: applications with an embedded browser read the code from the address.
 */
const SHOWN_AT = '/oauth/authorize/native';

/** Shows the sign-in page without a session, the consent page with one. */
const show = route({
  method: 'GET',
  path: '/oauth/authorize',
  auth: 'none',
  query: Type.Object({ ...authorizationFields, force_login: Type.Boolean({ default: false }) }),
  handle: async (asked) => {
    const { services, query, headers } = asked;
    const request = await readRequest(services, query, false, faults(asked));
    if (isRefused(request)) return request;
    const session = query.force_login ? undefined : await sessionOf(services, headers);
    if (session === undefined) {
      const visit = visitOf(services, headers);
      return signInPage(await siteOf(services), readerWith(asked, undefined), {
        csrf: csrfOf(visit.value),
        passkeys: requestOptions(services, visit.value),
        next: new URLSearchParams(requestFields(query)).toString(),
        cookie: visit.cookie,
        formAction: formActionOf(query.redirect_uri),
      });
    }
    return consent(asked, session, request);
  },
});

/** Shows faults of a request as pages. */
const faults =
  (asked: Asked): ShowFault =>
  (fault, detail) =>
    refuse(asked, fault, 400, detail === undefined ? {} : { detail });

async function consent(asked: Asked, session: Session, request: AuthorizationRequest): Promise<Answer> {
  const { account, token } = session;
  const { app, fields } = request;
  if (!account.confirmed) return unconfirmed(asked, session, fields);
  const scopes = grantable(account.role, request.scopes);
  if (scopes.length === 0) return refuse(asked, 'role', 400);
  return consentPage(await siteOf(asked.services), readerWith(asked, session), {
    appName: app.name,
    website: app.website,
    username: account.username,
    scopes,
    redirectUri: fields.redirect_uri === OUT_OF_BAND ? undefined : fields.redirect_uri,
    formAction: formActionOf(fields.redirect_uri),
    csrf: csrfOf(token),
    fields: requestFields(fields),
  });
}

const decide = route({
  method: 'POST',
  path: '/oauth/authorize',
  auth: 'none',
  page: show,
  body: Type.Object({ ...authorizationFields, csrf: csrfField(), decision: field() }),
  handle: async (asked) => {
    const { services, body, headers } = asked;
    const session = await sessionOf(services, headers);
    if (!isOwnForm(services, headers, session?.token, body.csrf) || session === undefined) return foreignForm(asked);
    const request = await readRequest(services, body, true, faults(asked));
    if (isRefused(request)) return request;
    const { fields } = request;
    if (!session.account.confirmed) return unconfirmed(asked, session, fields);
    const scopes = grantable(session.account.role, request.scopes);
    if (scopes.length === 0) return deny(fields, { error: 'invalid_scope' }, faults(asked));
    if (body.decision !== 'authorize') {
      const description = 'The resource owner or authorization server denied the request.';
      return deny(fields, { error: 'access_denied', error_description: description }, faults(asked));
    }
    return grant(services, session, { ...request, scopes });
  },
});

async function grant(
  services: Pick<Services, 'random' | 'instance' | 'askAccount'>,
  session: Session,
  { scopes, fields }: AuthorizationRequest,
) {
  const code = `${session.account.id}.${newSecret(services)}`;
  const granted = await services.askAccount(session.account.id, 'grantCode', {
    codeHash: tokenHash(code),
    clientId: fields.client_id,
    redirectUri: fields.redirect_uri,
    scopes,
    ...(fields.code_challenge === '' ? {} : { challenge: fields.code_challenge }),
  });
  if (isProblem(granted)) return granted;
  const isShown = fields.redirect_uri === OUT_OF_BAND;
  const target = isShown ? `${services.instance.baseUrl}${SHOWN_AT}` : fields.redirect_uri;
  return redirect(withParameters(target, { code, state: fields.state }));
}

/** Shows only text that has the form of a code, because anybody can link to this page with a text of their choice. */
const showCode = route({
  method: 'GET',
  path: SHOWN_AT,
  auth: 'none',
  query: Type.Object({ code: Type.String({ maxLength: 62, pattern: '^[0-9]{1,18}\\.[\\w-]{43}$' }) }),
  handle: async (asked) => codePage(...(await plainPage(asked)), asked.query.code),
});

/** Answers somebody whose address is not confirmed: the page sends the mail again, and leads back here. */
async function unconfirmed(asked: Asked, { account }: Session, fields: AuthorizationFields): Promise<Answer> {
  const visit = visitOf(asked.services, asked.headers);
  return lookIntoMailPage(...(await plainPage(asked)), {
    csrf: csrfOf(visit.value),
    email: account.email,
    next: new URLSearchParams(requestFields(fields)).toString(),
    isSentAgain: false,
    needsApproval: !account.approved,
    cookie: visit.cookie,
    status: 403,
  });
}

export const authorizeRoutes: readonly AnyRoute[] = [show, decide, showCode];
