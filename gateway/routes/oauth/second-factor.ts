import { Type } from '@sinclair/typebox';
import { RECOVERY_CODES_MAX } from '../../../actors/account/second-factor.js';
import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import { askCodePage, enabledPage, enrolmentPage, recoveryCodesPage } from '../../html/auth/second-factor-pages.js';
import { tokenHash } from '../../http/authenticator.js';
import { type Answer, type AnyRoute, redirect, route } from '../../http/route.js';
import {
  accountOfTicket,
  enrolmentOf,
  newRecoveryCode,
  recoveryHash,
  stepOf,
  useCode,
} from '../../oauth/factors/second-factor.js';
import { csrfField, field } from '../../oauth/form.js';
import { browserOf, csrfOf, isOwnForm, knownVisit } from '../../oauth/session.js';
import { refusedPassword } from '../html/own-password.js';
import { type Personal, personalForm, personalPage } from '../html/personal.js';
import { showSignIn } from './auth-pages.js';
import { enter, NEXT_CHARS_MAX, ownPath } from './enter.js';
import { foreignForm, plainPage } from './refusals.js';

const PATH = '/settings/otp';

/** Ends a sign-in with the second factor. */
const signIn = route({
  method: 'POST',
  path: '/auth/sign_in/code',
  auth: 'none',
  page: showSignIn,
  body: Type.Object({
    csrf: csrfField(),
    ticket: field(),
    next: field(NEXT_CHARS_MAX),
    return_to: field(NEXT_CHARS_MAX),
    code: field(),
  }),
  handle: async (request) => {
    const { services, body, headers } = request;
    const visit = knownVisit(headers);
    if (visit === undefined || !isOwnForm(services, headers, visit, body.csrf)) return foreignForm(request);
    const account = accountOfTicket(services, body.ticket);
    if (account === undefined) return foreignForm(request);
    const { next, ticket } = body;
    const returnTo = ownPath(body.return_to);
    const used = await useCode(services, account, body.code, browserOf(services, headers));
    if (used === 'fits') return enter(request, account, { next, returnTo });
    const [site, reader] = await plainPage(request);
    const { access, otp } = reader.texts.auth;
    const refused =
      used === 'wrong' ? { fault: otp.wrong, status: 422 } : { fault: access.signInFaults.tooMany, status: 429 };
    return askCodePage(site, reader, { csrf: csrfOf(visit), ticket, next, returnTo, ...refused });
  },
});

type Shown = Pick<Personal<unknown, unknown, unknown>, 'request' | 'session' | 'site' | 'reader'>;
interface Refused {
  readonly fault: string;
  readonly status: number;
}

/** Shows the state of the second factor, after a refusal or a success too. */
async function state(
  { request, session, site, reader }: Shown,
  more: Partial<Refused> & { readonly token?: string; readonly isDisabled?: boolean } = {},
): Promise<Answer | Problem> {
  const { services } = request;
  const { token, isDisabled, ...refused } = more;
  const factor = await services.askAccount(session.account.id, 'secondFactor', {});
  if (isProblem(factor)) return factor;
  if (factor.nonce !== undefined) return enabledPage(site, reader, { codesLeft: factor.recoveryCodes, ...refused });
  const enrolment = enrolmentOf(services, session.account, token);
  return enrolmentPage(site, reader, { ...enrolment, ...refused, ...(isDisabled === true && { isDisabled }) });
}

const show = personalPage({ path: PATH, query: Type.Object({ disabled: Type.Optional(Type.Boolean()) }) }, (personal) =>
  state(personal, { isDisabled: personal.request.query.disabled === true }),
);

const enable = personalForm(
  { path: PATH, page: show, body: { token: field(), password: field(), code: field() } },
  async (personal) => {
    const { request, session, site, reader } = personal;
    const { services, body } = request;
    const { token } = body;
    const refused = await refusedPassword(personal, body.password);
    if (refused !== undefined) return state(personal, { ...refused, token });
    const wrong = () => state(personal, { fault: reader.texts.auth.otp.wrong, status: 422, token });
    const content = services.keyedTokens.read('otp', token);
    if (content?.account !== session.account.id) return wrong();
    const step = stepOf(services, content, body.code);
    if (step === undefined) return wrong();
    const codes = Array.from({ length: RECOVERY_CODES_MAX }, () => newRecoveryCode(services));
    const enabled = await services.askAccount(session.account.id, 'enableOtp', {
      nonce: content.nonce,
      step,
      recoveryHashes: codes.map(recoveryHash),
    });
    // Somebody who sends the form twice sees the state, because the codes of the first answer are the valid ones.
    return isProblem(enabled) ? state(personal) : recoveryCodesPage(site, reader, codes);
  },
);

const disable = personalForm(
  { path: `${PATH}/disable`, page: show, body: { password: field(), code: field() } },
  async (personal) => {
    const { request, session, reader } = personal;
    const { services, body } = request;
    const refused = await refusedPassword(personal, body.password);
    if (refused !== undefined) return state(personal, refused);
    const browser = { account: session.account.id, nonce: tokenHash(session.token) };
    const used = await useCode(services, session.account.id, body.code, browser);
    const { access, otp } = reader.texts.auth;
    if (used === 'too_many') return state(personal, { fault: access.signInFaults.tooMany, status: 429 });
    if (used === 'wrong') return state(personal, { fault: otp.wrong, status: 422 });
    const disabled = await services.askAccount(session.account.id, 'disableOtp', {});
    return isProblem(disabled) ? disabled : redirect(`${PATH}?disabled=true`, 303);
  },
);

/** Second factor of a sign-in, and its settings. */
export const secondFactorRoutes: readonly AnyRoute[] = [signIn, show, enable, disable];
