import { Type } from '@sinclair/typebox';
import { isProblem, problem } from '../../actors/domain/problem.js';
import { type AnyRoute, json, route } from '../http/route.js';
import { addressKey } from '../oauth/attempts.js';
import { guardsOf } from '../oauth/guards.js';
import { signUp } from '../oauth/sign-up.js';
import { judgeSignUp } from '../oauth/sign-up-limits.js';
import { issueToken, renderToken } from '../oauth/tokens.js';

/** Bounds what is read; the rules of sign-up judge shorter lengths. */
const TEXT_CHARS_MAX = 2_000;
const text = (maxLength = TEXT_CHARS_MAX) => Type.String({ default: '', maxLength });

/** A sign-up through an application; the token works fully once the mailed link was opened. */
const createAccount = route({
  method: 'POST',
  path: '/api/v1/accounts',
  auth: 'app',
  scope: 'write:accounts',
  body: Type.Object({
    username: text(),
    email: text(),
    password: text(),
    agreement: Type.Boolean({ default: false }),
    locale: text(20),
    reason: text(),
    date_of_birth: Type.Optional(text(40)),
  }),
  handle: async ({ services, bearer, body, remoteAddress }) => {
    const { registrations, rateLimits } = services.instance;
    if (registrations === 'closed') return problem('forbidden', 'This action is not allowed');
    const { passwords, signUps } = guardsOf(services);
    if (rateLimits && !signUps.take(addressKey(remoteAddress))) return problem('rate_limited', 'Too many requests');
    const judged = await judgeSignUp(services, body.email, remoteAddress);
    if (isProblem(judged)) return judged;
    const clientId = bearer?.clientId ?? '';
    const made = await signUp(services, {
      username: body.username,
      email: body.email,
      password: body.password,
      agreement: body.agreement,
      role: 'user',
      confirmed: false,
      approved: registrations === 'open' && !judged.waits,
      address: remoteAddress,
      locale: body.locale === '' ? 'en' : body.locale,
      clientId,
      ...(body.reason === '' ? {} : { reason: body.reason }),
      hash: (password) => passwords.hash(password),
    });
    if (isProblem(made)) return made;
    const scopes = bearer?.scopes ?? [];
    const token = await issueToken(services, made.id, clientId, scopes, 'access');
    if (isProblem(token)) return token;
    return json(renderToken(token, scopes, services.clock.nowMs()));
  },
});

export const signUpRoutes: readonly AnyRoute[] = [createAccount];
