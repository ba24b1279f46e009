import { Type } from '@sinclair/typebox';
import { isProblem } from '../../../actors/domain/problem.js';
import { accounts } from '../../../store/tables.js';
import { noticePage } from '../../html/auth/notice-page.js';
import { askResetPage, changePasswordPage, resetPage } from '../../html/auth/password-pages.js';
import type { Reader, Site } from '../../html/site.js';
import { addressKey } from '../../http/limits/client-address.js';
import { type AnyRoute, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { newNonce } from '../../oauth/clients.js';
import { csrfField, field } from '../../oauth/form.js';
import { countLink, guardsOf } from '../../oauth/guards.js';
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '../../oauth/passwords.js';
import { browserCookie, browserOf, csrfOf, endedCookie, isOwnForm, knownVisit, visitOf } from '../../oauth/session.js';
import { refusedPassword } from '../html/own-password.js';
import { personalForm, personalPage } from '../html/personal.js';
import { foreignForm, plainPage, refuse, tooMany } from './refusals.js';

const LENGTHS = { min: PASSWORD_CHARS_MIN, max: PASSWORD_CHARS_MAX };

/** Page that requests the address for the link. */
const showAsk = route({
  method: 'GET',
  path: '/auth/password/new',
  auth: 'none',
  handle: async (request) => {
    const visit = visitOf(request.services, request.headers);
    return askResetPage(...(await plainPage(request)), csrfOf(visit.value), visit.cookie);
  },
});

/** Answers equally, and equally fast, with and without such an account. */
const ask = route({
  method: 'POST',
  path: '/auth/password',
  auth: 'none',
  page: showAsk,
  body: Type.Object({ csrf: csrfField(), email: field() }),
  handle: async (request) => {
    const { services, body, headers, remoteAddress } = request;
    const visit = knownVisit(headers);
    if (visit === undefined || !isOwnForm(services, headers, visit, body.csrf)) return foreignForm(request);
    const { rateLimits } = services.instance;
    if (rateLimits && !guardsOf(services).resets.take(addressKey(remoteAddress))) return tooMany(request);
    void mailLink(services, body.email.trim().toLowerCase()).catch(() => undefined);
    const [site, reader] = await plainPage(request);
    const { auth, shell } = reader.texts;
    const { sentTitle: title, sent: text } = auth.access.passwords;
    const ways = [
      { href: '/auth/sign_in', label: auth.signIn },
      { href: '/', label: shell.backToFront },
    ];
    return noticePage(site, reader, { title, text, ways });
  },
});

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

const showReset = route({
  method: 'GET',
  path: '/auth/password/edit',
  auth: 'none',
  query: Type.Object({ reset_password_token: field() }),
  handle: async (request) => {
    const visit = visitOf(request.services, request.headers);
    return resetPage(...(await plainPage(request)), {
      csrf: csrfOf(visit.value),
      cookie: visit.cookie,
      token: request.query.reset_password_token,
      lengths: LENGTHS,
    });
  },
});

const lengthFault = ({ texts }: Reader, password: string): string | undefined =>
  password.length < PASSWORD_CHARS_MIN || password.length > PASSWORD_CHARS_MAX
    ? texts.auth.access.passwords.length(PASSWORD_CHARS_MIN, PASSWORD_CHARS_MAX)
    : undefined;

/** Says that the password is new, and every device signed out. */
function changedPage(site: Site, reader: Reader, cookie: string) {
  const { auth } = reader.texts;
  const ways = [{ href: '/auth/sign_in', label: auth.signIn }];
  return noticePage(site, reader, { title: auth.access.thanks, text: auth.access.passwords.changed, ways, cookie });
}

const reset = route({
  method: 'POST',
  path: '/auth/password/edit',
  auth: 'none',
  page: showReset,
  body: Type.Object({ csrf: csrfField(), reset_password_token: field(), password: field() }),
  handle: async (request) => {
    const { services, body, headers, remoteAddress } = request;
    const visit = knownVisit(headers);
    if (visit === undefined || !isOwnForm(services, headers, visit, body.csrf)) return foreignForm(request);
    const token = body.reset_password_token;
    const [site, reader] = await plainPage(request);
    const fault = lengthFault(reader, body.password);
    if (fault !== undefined)
      return resetPage(site, reader, { csrf: csrfOf(visit), token, fault, status: 422, lengths: LENGTHS });
    const isRight = countLink(services, remoteAddress);
    if (isRight === undefined) return tooMany(request);
    const { otherLink } = reader.texts.auth.access.passwords;
    const ways = [{ href: '/auth/password/new', label: otherLink }];
    const wrong = () => refuse(request, 'badReset', 422, { ways });
    const link = services.keyedTokens.read('reset', token);
    if (link === undefined) return wrong();
    const { account, nonce } = link;
    // The link is checked before the hash, which costs a hundred times as much.
    if (isProblem(await services.askAccount(account, 'judgeReset', { nonce }))) return wrong();
    isRight();
    const passwordHash = await guardsOf(services).passwords.hash(body.password);
    const changed = await services.askAccount(account, 'resetPassword', { nonce, passwordHash });
    if (isProblem(changed)) return wrong();
    // The recipient of the mail is the owner, so the browser may sign in despite failed attempts by strangers.
    const cookies = [browserCookie(services, account, browserOf(services, headers))];
    return { ...changedPage(site, reader, endedCookie(services)), cookies };
  },
});

const CHANGE_PATH = '/auth/password/change';

const showChange = personalPage({ path: CHANGE_PATH }, async ({ site, reader }) =>
  changePasswordPage(site, reader, { csrf: reader.person.csrf, lengths: LENGTHS }),
);

const change = personalForm(
  { path: CHANGE_PATH, page: showChange, body: { current: field(), password: field() } },
  async (personal) => {
    const { request, site, reader, session } = personal;
    const { services, body } = request;
    const again = (fault: string, status = 422) =>
      changePasswordPage(site, reader, { csrf: reader.person.csrf, lengths: LENGTHS, fault, status });
    const fault = lengthFault(reader, body.password);
    if (fault !== undefined) return again(fault);
    const refused = await refusedPassword(personal, body.current);
    if (refused !== undefined) return again(refused.fault, refused.status);
    const passwordHash = await guardsOf(services).passwords.hash(body.password);
    const changed = await services.askAccount(session.account.id, 'changePassword', { passwordHash });
    if (isProblem(changed)) return changed;
    const [signedOut, plainReader] = await plainPage(request);
    return changedPage(signedOut, plainReader, endedCookie(services));
  },
);

/** Reset and change of passwords. */
export const passwordRoutes: readonly AnyRoute[] = [showAsk, ask, showReset, reset, showChange, change];
