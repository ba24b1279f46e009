import { Type } from '@sinclair/typebox';
import { isProblem } from '../../../actors/domain/problem.js';
import { PASSKEY_NAME_CHARS_MAX, passkeysPage } from '../../html/auth/passkeys-page.js';
import { signInPage } from '../../html/auth/sign-in-page.js';
import { addressKey } from '../../http/limits/client-address.js';
import { type AnyRoute, type Request, redirect, route } from '../../http/route.js';
import {
  ANSWER_CHARS_MAX,
  claimOf,
  creationOptions,
  newPasskey,
  requestOptions,
  verifiedUse,
} from '../../oauth/factors/passkeys.js';
import { csrfField, field } from '../../oauth/form.js';
import { guardsOf } from '../../oauth/guards.js';
import type { Checked } from '../../oauth/password-check.js';
import { csrfOf, isOwnForm, knownVisit } from '../../oauth/session.js';
import { refusedPassword } from '../html/own-password.js';
import { type Personal, personalForm, personalPage } from '../html/personal.js';
import { showSignIn } from './auth-pages.js';
import { enter, NEXT_CHARS_MAX, ownPath, shutOut } from './enter.js';
import { foreignForm, plainPage } from './refusals.js';

const PATH = '/settings/passkeys';
/** Name of a passkey whose owner chose none. */
const NAMELESS = 'Passkey';

type Shown = Pick<Personal<unknown, unknown, unknown>, 'request' | 'session' | 'site' | 'reader'>;

/** Shows the passkeys of a person, after a refusal too. */
async function shown(
  { request: { services }, session, site, reader }: Shown,
  refused: { readonly fault?: string; readonly status?: number; readonly name?: string } = {},
) {
  const known = await services.askAccount(session.account.id, 'passkeys', {});
  if (isProblem(known)) return known;
  const { passkeys } = known;
  const options = creationOptions(services, session.account, session.token, passkeys);
  return passkeysPage(site, reader, { passkeys, options, ...refused });
}

const show = personalPage({ path: PATH }, (personal) => shown(personal));

const add = personalForm(
  {
    path: PATH,
    page: show,
    body: { answer: field(ANSWER_CHARS_MAX), name: field(PASSKEY_NAME_CHARS_MAX), password: field() },
  },
  async (personal) => {
    const { request, session, reader } = personal;
    const { services, body } = request;
    const { id: account } = session.account;
    const { wrong, full } = reader.texts.auth.passkeys;
    const refused = await refusedPassword(personal, body.password);
    if (refused !== undefined) return shown(personal, { ...refused, name: body.name });
    const made = await newPasskey(services, account, session.token, body.answer);
    if (made === undefined) return shown(personal, { fault: wrong, status: 422, name: body.name });
    const name = body.name.trim() === '' ? NAMELESS : body.name;
    const added = await services.askAccount(account, 'addPasskey', { ...made, name });
    return isProblem(added) ? shown(personal, { fault: full, status: 422, name: body.name }) : redirect(PATH, 303);
  },
);

const remove = personalForm(
  { path: `${PATH}/remove`, page: show, body: { id: field() } },
  async ({ request: { services, body }, session }) => {
    const removed = await services.askAccount(session.account.id, 'removePasskey', { id: body.id });
    return isProblem(removed) ? removed : redirect(PATH, 303);
  },
);

type Asked = Pick<Request<unknown, unknown, unknown>, 'services' | 'remoteAddress'>;

/** Returns the account whose passkey signed the answer. The passkey proves device and owner, so no code is asked for. */
async function ownerOf(
  { services, remoteAddress }: Asked,
  visit: string,
  answer: string,
): Promise<Checked | 'too_many' | undefined> {
  const { wrongByAddress } = guardsOf(services);
  const address = addressKey(remoteAddress);
  if (services.instance.rateLimits && !wrongByAddress.take(address)) return 'too_many';
  const claim = claimOf(answer);
  if (claim === undefined) return undefined;
  const { account } = claim;
  const known = await services.askAccount(account, 'passkeys', {});
  const passkey = isProblem(known) ? undefined : known.passkeys.find(({ id }) => id === claim.passkey);
  if (passkey === undefined) return undefined;
  const use = await verifiedUse(services, visit, claim, passkey);
  if (use === undefined) return undefined;
  const used = await services.askAccount(account, 'usePasskey', { id: passkey.id, ...use });
  const owner = await services.askAccount(account, 'credentials', {});
  if (isProblem(used) || isProblem(owner) || !owner.exists) return undefined;
  if (services.instance.rateLimits) wrongByAddress.giveBack(address);
  return { ...owner, id: account };
}

const signIn = route({
  method: 'POST',
  path: '/auth/sign_in/passkey',
  auth: 'none',
  page: showSignIn,
  body: Type.Object({
    csrf: csrfField(),
    next: field(NEXT_CHARS_MAX),
    return_to: field(NEXT_CHARS_MAX),
    answer: field(ANSWER_CHARS_MAX),
  }),
  handle: async (request) => {
    const { services, body, headers } = request;
    const visit = knownVisit(headers);
    if (visit === undefined || !isOwnForm(services, headers, visit, body.csrf)) return foreignForm(request);
    const returnTo = ownPath(body.return_to);
    const { next } = body;
    const [site, reader] = await plainPage(request);
    const { access, passkeys } = reader.texts.auth;
    const again = (fault: string, status: number) =>
      signInPage(site, reader, {
        csrf: csrfOf(visit),
        passkeys: requestOptions(services, visit),
        next,
        returnTo,
        fault,
        status,
      });
    const owner = await ownerOf(request, visit, body.answer);
    if (owner === 'too_many') return again(access.signInFaults.tooMany, 429);
    if (owner === undefined) return again(passkeys.wrong, 422);
    const shut = shutOut(owner, access.signInFaults);
    return shut === undefined ? enter(request, owner.id, { next, returnTo }) : again(shut, 403);
  },
});

/** Sign-in with a passkey, and the passkeys of a person. */
export const passkeyRoutes: readonly AnyRoute[] = [signIn, show, add, remove];
