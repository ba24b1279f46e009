import { Type } from '@sinclair/typebox';
import { USERNAME_CHARS_MAX } from '../../../actors/account/register.js';
import { isProblem, problem } from '../../../actors/domain/problem.js';
import { accounts } from '../../../store/tables.js';
import { addressKey } from '../../http/limits/client-address.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import { newNonce } from '../../oauth/clients.js';
import { guardsOf } from '../../oauth/guards.js';
import { needsInvite, signUpInvited } from '../../oauth/invites.js';
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '../../oauth/passwords.js';
import { grantable } from '../../oauth/scopes.js';
import { isEmail } from '../../oauth/sign-up.js';
import { judgeSignUp } from '../../oauth/sign-up-limits.js';
import { issueToken, renderToken, Token } from '../../oauth/tokens.js';
import { notFound } from '../../viewing/visible.js';

/** Bounds the input; the rules of sign-up enforce shorter lengths. */
const TEXT_CHARS_MAX = 2_000;
const text = (maxLength = TEXT_CHARS_MAX) => Type.String({ default: '', maxLength });

/** Demands of the handler that the schema does not enforce, because a refusal names each wrong field. */
const DEMANDED = {
  required: ['username', 'email', 'password', 'agreement'],
  properties: {
    username: { pattern: `^[A-Za-z0-9_]{1,${USERNAME_CHARS_MAX}}$` },
    email: { pattern: '^[A-Za-z0-9._+-]{1,40}@[a-z0-9]{1,40}\\.[a-z]{2,9}$' },
    password: { minLength: PASSWORD_CHARS_MIN, maxLength: PASSWORD_CHARS_MAX },
    agreement: { const: true },
  },
};

/** Role of a new account. */
const NEW_ROLE = 'user';

/** Signs up through an application. The token is restricted until the mailed link is opened. */
const createAccount = route({
  method: 'POST',
  path: '/api/v1/accounts',
  idempotent: 'id',
  auth: 'app',
  scope: 'write:accounts',
  body: Type.Object(
    {
      username: text(),
      email: text(),
      password: text(),
      agreement: Type.Boolean({ default: false }),
      locale: text(20),
      reason: text(),
      date_of_birth: Type.Optional(text(40)),
      /** The last part of an invitation's link. */
      invite_code: text(),
    },
    { shown: DEMANDED },
  ),
  answer: Token,
  handle: async ({ services, bearer, body, remoteAddress, newId }) => {
    const { rateLimits } = services.instance;
    if (body.invite_code === '' && needsInvite(services)) return problem('forbidden', 'This action is not allowed');
    const { passwords, signUps } = guardsOf(services);
    if (rateLimits && !signUps.take(addressKey(remoteAddress))) return problem('rate_limited', 'Too many requests');
    const judged = await judgeSignUp(services, body.email, remoteAddress);
    if (isProblem(judged)) return judged;
    const clientId = bearer?.clientId ?? '';
    const made = await signUpInvited(services, {
      invite: body.invite_code,
      ...(newId === undefined ? {} : { id: newId }),
      username: body.username,
      email: body.email,
      password: body.password,
      agreement: body.agreement,
      role: NEW_ROLE,
      confirmed: false,
      waits: judged.waits,
      address: remoteAddress,
      locale: body.locale === '' ? 'en' : body.locale,
      clientId,
      ...(body.reason === '' ? {} : { reason: body.reason }),
      hash: (password) => passwords.hash(password),
    });
    if (isProblem(made)) return made;
    // A role that the account gets later must not widen this token.
    const scopes = grantable(NEW_ROLE, bearer?.scopes ?? []);
    const token = await issueToken(services, made.id, clientId, scopes, 'access');
    if (isProblem(token)) return token;
    return json(renderToken(token, scopes, services.clock.nowMs()));
  },
});

/** Sends another mail with a link, to the same or to a corrected address. */
const resend = route({
  method: 'POST',
  path: '/api/v1/emails/confirmations',
  auth: 'unconfirmed',
  scope: 'write:accounts',
  body: Type.Object({ email: Type.Optional(text()) }),
  answer: Type.Object({}),
  handle: async ({ services, viewer = '', bearer, body, remoteAddress }) => {
    const record = await services.tables.get(accounts, { account: viewer });
    if (record === undefined) return notFound();
    const wanted = body.email?.trim().toLowerCase();
    const isNew = wanted !== undefined && wanted !== '' && wanted !== record.email.toLowerCase();
    const isOwnApp = record.clientId === bearer?.clientId && !record.confirmed;
    const clientId = bearer?.clientId ?? '';
    const change = { ...(isNew && isOwnApp ? { email: wanted } : {}), unlimited: !services.instance.rateLimits };
    let taken = false;
    // The actor checks the other conditions; a name is claimed only for an account that may have it.
    if (isNew && isOwnApp) {
      const { emailChanges, emailChangesOfAddress } = guardsOf(services);
      // The attempt is counted before the claim, whatever its result.
      const isCounted = emailChanges.take(viewer) && emailChangesOfAddress.take(addressKey(remoteAddress));
      if (services.instance.rateLimits && !isCounted) return problem('rate_limited', 'Too many requests');
      if (!isEmail(wanted)) return invalidEmail();
      const judged = await judgeSignUp(services, wanted, remoteAddress);
      if (isProblem(judged)) return judged;
      // The actor checks the pause first. A taken address gets the same answer as a free one.
      const refused = await services.askAccount(viewer, 'judgeResend', { clientId, ...change });
      if (isProblem(refused)) return refused;
      taken = (await services.registry.claim([`email:${wanted}`], viewer)) !== undefined;
    }
    const reply = await services.askAccount(viewer, 'resendConfirmation', {
      clientId,
      ...change,
      nonce: newNonce(services),
      ...(taken ? { taken } : {}),
    });
    // After a refusal the claim expires by itself, because the account does not have the address (CLAIM_LIFETIME_MS).
    if (isProblem(reply)) return reply;
    // If another account has got the address meanwhile, the name stays with that account, as if it had been taken
    // before.
    if (isNew && isOwnApp && !taken) await services.registry.confirm([`email:${wanted}`], viewer);
    if (isNew && isOwnApp) await services.registry.release([`email:${record.email.toLowerCase()}`], viewer);
    return json({});
  },
});

/** Tells waiting pages if the mailed link was opened. */
const checkConfirmation = route({
  method: 'GET',
  path: '/api/v1/emails/check_confirmation',
  auth: 'unconfirmed',
  scope: 'read:accounts',
  answer: Type.Boolean(),
  handle: async ({ services, viewer = '' }) => {
    const record = await services.tables.get(accounts, { account: viewer });
    return record === undefined ? notFound() : json(record.confirmed);
  },
});

function invalidEmail() {
  const error = { error: 'ERR_INVALID', description: 'is invalid' };
  return problem('invalid', `Validation failed: E-mail address ${error.description}`, { email: [error] });
}

export const signUpRoutes: readonly AnyRoute[] = [createAccount, resend, checkConfirmation];
