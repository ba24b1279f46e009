import { Type } from '@sinclair/typebox';
import { isProblem } from '../../../../actors/domain/problem.js';
import { noticePage } from '../../../html/auth/notice-page.js';
import { accountPage, deletionPage } from '../../../html/settings/account-pages.js';
import { addressKey } from '../../../http/limits/client-address.js';
import { type AnyRoute, redirect, route } from '../../../http/route.js';
import { newNonce } from '../../../oauth/clients.js';
import { field } from '../../../oauth/form.js';
import { countLink, guardsOf } from '../../../oauth/guards.js';
import { endedCookie } from '../../../oauth/session.js';
import { isEmail } from '../../../oauth/sign-up.js';
import { judgeSignUp } from '../../../oauth/sign-up-limits.js';
import { plainPage, refuse, tooMany } from '../../oauth/refusals.js';
import { refusedPassword } from '../own-password.js';
import { type Personal, personalForm, personalPage } from '../personal.js';

const PATH = '/settings/account';
const DELETE = '/settings/delete';

type Own = Personal<unknown, unknown, unknown>;

const show = personalPage(
  { path: PATH, query: Type.Object({ sent: Type.Optional(Type.Boolean()) }) },
  async ({ site, reader, session, request }) => {
    const { email: typed } = request.refused?.typed ?? {};
    return accountPage(site, reader, { email: session.account.email, typed, isSent: request.query.sent === true });
  },
);

/** Mails a link to another address. A taken address gets the same answer as a free one. */
const changeEmail = personalForm(
  { path: `${PATH}/email`, page: show, body: { email: field(), current: field() } },
  async (personal) => {
    const { site, reader, session, request } = personal;
    const { services, body } = request;
    const typed = body.email.trim();
    const again = (fault: string, status = 422) => ({
      ...accountPage(site, reader, { email: session.account.email, fault, typed }),
      status,
    });
    const refused = await refusedPassword(personal, body.current);
    if (refused !== undefined) return again(refused.fault, refused.status);
    const { ownAccount } = reader.texts.settings;
    const email = typed.toLowerCase();
    if (!isEmail(email)) return again(ownAccount.wrongEmail);
    if (email === session.account.email.toLowerCase()) return again(ownAccount.sameEmail);
    if (!isCounted(personal)) return again(ownAccount.tooMany, 429);
    const judged = await judgeSignUp(services, email, request.remoteAddress);
    if (isProblem(judged)) return again(ownAccount.blockedEmail);
    const asked = await services.askAccount(session.account.id, 'askEmailChange', {
      email,
      nonce: newNonce(services),
      taken: await services.registry.isTaken(`email:${email}`, session.account.id),
      unlimited: !services.instance.rateLimits,
    });
    if (!isProblem(asked)) return redirect(`${PATH}?sent=true`, 303);
    return asked.problem === 'rate_limited' ? again(ownAccount.tooMany, 429) : asked;
  },
);

/** Counts a change of an address; false: there were too many. */
function isCounted({ request: { services, remoteAddress }, session }: Own): boolean {
  const { emailChanges, emailChangesOfAddress } = guardsOf(services);
  const isFew = emailChanges.take(session.account.id) && emailChangesOfAddress.take(addressKey(remoteAddress));
  return isFew || !services.instance.rateLimits;
}

/** Opens the link of the mail. The name of the address is claimed now, so that nobody can hold addresses of others. */
const confirmEmail = route({
  method: 'GET',
  path: '/auth/email/confirmation',
  auth: 'none',
  query: Type.Object({ token: field() }),
  handle: async (request) => {
    const { services, query, remoteAddress } = request;
    const isRight = countLink(services, remoteAddress);
    if (isRight === undefined) return tooMany(request);
    const wrong = () => refuse(request, 'notConfirmed', 422);
    const link = services.keyedTokens.read('email', query.token);
    if (link === undefined) return wrong();
    const { account, nonce } = link;
    const change = await services.askAccount(account, 'judgeEmailChange', { nonce });
    if (isProblem(change)) return wrong();
    const name = `email:${change.email.toLowerCase()}`;
    if ((await services.registry.claim([name], account)) !== undefined) return wrong();
    if (isProblem(await services.askAccount(account, 'confirmEmailChange', { nonce }))) return wrong();
    isRight();
    const [site, reader] = await plainPage(request);
    const { auth, settings } = reader.texts;
    const ways = [{ href: PATH, label: settings.title }];
    return noticePage(site, reader, { title: auth.access.thanks, text: settings.ownAccount.emailConfirmed, ways });
  },
});

const showDeletion = personalPage({ path: DELETE }, async ({ site, reader }) => deletionPage(site, reader, {}));

/** Deletes the account of the signed-in person for ever. */
const deleteAccount = personalForm(
  { path: DELETE, page: showDeletion, body: { current: field() } },
  async (personal) => {
    const { site, reader, session, request } = personal;
    const { ownAccount } = reader.texts.settings;
    const again = (fault: string, status = 422) => ({ ...deletionPage(site, reader, { fault }), status });
    const refused = await refusedPassword(personal, request.body.current);
    if (refused !== undefined) return again(refused.fault, refused.status);
    // Nobody else could govern the server.
    if (session.account.role === 'owner') return again(ownAccount.deletion.owner);
    const deleted = await request.services.askAccount(session.account.id, 'deleteAccount', {});
    if (isProblem(deleted)) return deleted;
    const [signedOut, plainReader] = await plainPage(request);
    const { doneTitle: title, done: text } = ownAccount.deletion;
    const ways = [{ href: '/', label: reader.texts.shell.backToFront }];
    return noticePage(signedOut, plainReader, { title, text, ways, cookie: endedCookie(request.services) });
  },
);

/** The address of an account, and its end. */
export const ownAccountRoutes: readonly AnyRoute[] = [show, changeEmail, confirmEmail, showDeletion, deleteAccount];
