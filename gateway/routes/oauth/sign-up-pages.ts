import { Type } from '@sinclair/typebox';
import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import { accounts } from '../../../store/tables.js';
import { closedPage, lookIntoMailPage, type SignUpForm, signUpPage } from '../../html/auth/sign-up-page.js';
import { siteOf } from '../../html/site.js';
import { WEB_CLIENT } from '../../http/api-call.js';
import { addressKey } from '../../http/limits/client-address.js';
import { type Answer, type AnyRoute, type Request, redirect, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { newNonce } from '../../oauth/clients.js';
import { csrfField, field } from '../../oauth/form.js';
import { guardsOf } from '../../oauth/guards.js';
import { isUselessInvite, judgeInvite, needsInvite, signUpInvited } from '../../oauth/invites.js';
import { PASSWORD_CHARS_MIN } from '../../oauth/passwords.js';
import { csrfOf, isOwnForm, knownVisit, visitOf } from '../../oauth/session.js';
import { judgeSignUp } from '../../oauth/sign-up-limits.js';
import { readerOf } from '../html/reader.js';
import { foreignForm, refuse } from './refusals.js';

/** Longest authorization request, as a query, that continues after the sign-up. */
const NEXT_CHARS_MAX = 8_000;
const TEXT_CHARS_MAX = 2_000;

type Asked = Request<unknown, unknown, unknown>;
type Typed = Pick<SignUpForm, 'next' | 'invite' | 'username' | 'email' | 'reason' | 'faults'> &
  Partial<Pick<SignUpForm, 'fault' | 'status' | 'cookie'>>;

async function form(request: Asked, csrf: string, typed: Typed): Promise<Answer> {
  const { services } = request;
  const [site, reader, rules] = await Promise.all([siteOf(services), readerOf(request), services.entries.of('rules')]);
  return signUpPage(site, reader, {
    ...typed,
    csrf,
    rules: rules.map(({ text }) => ({ text: text?.text ?? '', hint: text?.hint ?? '' })),
    needsApproval: services.instance.registrations === 'approval' && typed.invite === '',
    passwordCharsMin: PASSWORD_CHARS_MIN,
  });
}

async function closed(request: Asked): Promise<Answer> {
  const message = (await request.services.entries.setting('registrations_message'))?.text?.text;
  return closedPage(await siteOf(request.services), await readerOf(request), message);
}

/** Answers an invitation that is forged, expired, used up or revoked. */
const uselessInvite = (request: Asked): Promise<Answer> => refuse(request, 'invite', 410);

/** The address that people pass on. */
const invited = route({
  method: 'GET',
  path: '/invite/:invite',
  auth: 'none',
  params: Type.Object({ invite: Type.String({ maxLength: 100, pattern: '^[\\w.-]+$' }) }),
  handle: async ({ params }) => redirect(`/auth/sign_up?invite=${params.invite}`),
});

const show = route({
  method: 'GET',
  path: '/auth/sign_up',
  auth: 'none',
  query: Type.Object({ next: field(NEXT_CHARS_MAX), invite: field() }),
  handle: async (request) => {
    const { services, headers, query } = request;
    const { next, invite } = query;
    if (invite !== '' && isProblem(await judgeInvite(services, invite))) return uselessInvite(request);
    if (invite === '' && needsInvite(services)) return closed(request);
    const visit = visitOf(services, headers);
    const { username = '', email = '', reason = '' } = request.refused?.typed ?? {};
    const typed = { username, email, reason, faults: {} };
    return form(request, csrfOf(visit.value), { ...typed, next, invite, cookie: visit.cookie });
  },
});

const Body = Type.Object({
  csrf: csrfField(),
  next: field(NEXT_CHARS_MAX),
  invite: field(),
  username: field(TEXT_CHARS_MAX),
  email: field(TEXT_CHARS_MAX),
  password: field(TEXT_CHARS_MAX),
  reason: field(TEXT_CHARS_MAX),
  agreement: Type.Boolean({ default: false }),
});

const create = route({
  method: 'POST',
  path: '/auth/sign_up',
  auth: 'none',
  page: show,
  body: Body,
  handle: async (request) => {
    const { services, headers, body, remoteAddress } = request;
    const { registrations, rateLimits } = services.instance;
    if (body.invite === '' && needsInvite(services)) return closed(request);
    const visit = knownVisit(headers);
    if (visit === undefined || !isOwnForm(services, headers, visit, body.csrf)) return foreignForm(request);
    const { next, invite, username, email, reason, password, agreement } = body;
    const reader = await readerOf(request);
    const again = (faults: SignUpForm['faults'], status: number, fault?: string) =>
      form(request, csrfOf(visit), {
        ...{ next, invite, username, email, reason, faults, status },
        ...(fault !== undefined && { fault }),
      });
    const { passwords, signUps } = guardsOf(services);
    if (rateLimits && !signUps.take(addressKey(remoteAddress))) return again({}, 429, reader.texts.auth.tooMany);
    const judged = await judgeSignUp(services, email, remoteAddress);
    if (isProblem(judged)) return again(faultsOf(judged), 422, judged.fields ? undefined : judged.detail);
    const made = await signUpInvited(services, {
      ...{ invite, username, email, password, agreement, role: 'user', confirmed: false, waits: judged.waits },
      address: remoteAddress,
      locale: reader.language,
      clientId: WEB_CLIENT,
      ...(reason !== '' && { reason }),
      hash: (text) => passwords.hash(text),
    });
    if (isProblem(made) && isUselessInvite(made)) return uselessInvite(request);
    if (isProblem(made) && !isTakenEmail(made)) return again(faultsOf(made), 422);
    // A taken address costs the same time as a free one.
    if (isProblem(made)) {
      void mailOwner(services, email).catch(() => undefined);
      await passwords.hash(password);
    }
    return lookIntoMailPage(await siteOf(services), reader, {
      ...{ csrf: csrfOf(visit), email, next, isSentAgain: false },
      needsApproval: registrations === 'approval' && invite === '',
    });
  },
});

const faultsOf = ({ fields = {} }: Problem): SignUpForm['faults'] =>
  Object.fromEntries(Object.entries(fields).map(([name, errors]) => [name, errors.map(({ error }) => error)]));

/** Returns true if the only fault is that another account has the address, which nobody may learn here. */
function isTakenEmail({ fields = {} }: Problem): boolean {
  const faults = Object.entries(fields).flatMap(([name, errors]) => errors.map(({ error }) => `${name} ${error}`));
  return faults.length > 0 && faults.every((fault) => fault === 'email ERR_TAKEN');
}

/** Sends the mail with the link again. The answer does not depend on the address. */
const sendAgain = route({
  method: 'POST',
  path: '/auth/confirmation/again',
  auth: 'none',
  page: show,
  body: Type.Object({ csrf: csrfField(), next: field(NEXT_CHARS_MAX), email: field(TEXT_CHARS_MAX) }),
  handle: async (request) => {
    const { services, headers, body, remoteAddress } = request;
    const visit = knownVisit(headers);
    if (visit === undefined || !isOwnForm(services, headers, visit, body.csrf)) return foreignForm(request);
    const { email, next } = body;
    const isAllowed = guardsOf(services).emailChangesOfAddress.take(addressKey(remoteAddress));
    // The answer does not wait: it is as fast for an address without an account.
    if (isAllowed || !services.instance.rateLimits) void mailAgain(services, email).catch(() => undefined);
    const needsApproval = services.instance.registrations === 'approval';
    const after = { csrf: csrfOf(visit), email, next, isSentAgain: true, needsApproval };
    return lookIntoMailPage(await siteOf(services), await readerOf(request), after);
  },
});

async function mailAgain(services: Services, email: string): Promise<void> {
  const wanted = email.trim().toLowerCase();
  const id = await services.registry.find(`email:${wanted}`);
  const record = id === undefined ? undefined : await services.tables.get(accounts, { account: id });
  // The claim may be stale, so the mail goes only to the account's own address.
  if (id === undefined || record?.email.toLowerCase() !== wanted) return;
  const { clientId = WEB_CLIENT } = record;
  const unlimited = !services.instance.rateLimits;
  await services.askAccount(id, 'resendConfirmation', { clientId, unlimited, nonce: newNonce(services) });
}

/** Notifies the owner of an address with which somebody signs up again: by another confirmation mail, or by a mail. */
async function mailOwner(services: Services, email: string): Promise<void> {
  const id = await services.registry.find(`email:${email.trim().toLowerCase()}`);
  if (id === undefined) return;
  await services.askAccount(id, 'noteRepeatedSignUp', {});
  await mailAgain(services, email);
}

/** Sign-up in a browser. */
export const signUpPageRoutes: readonly AnyRoute[] = [invited, show, create, sendAgain];
