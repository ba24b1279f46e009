import { Type } from '@sinclair/typebox';
import { isMailList, listNonce } from '../../../actors/domain/mail-lists.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { html } from '../../../actors/domain/text/html.js';
import { addressKey } from '../../http/limits/client-address.js';
import { type AnyRoute, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { field } from '../../oauth/form.js';
import { guardsOf } from '../../oauth/guards.js';
import { faultPage, hidden, layout } from '../../oauth/pages/layout.js';
import { tooMany } from './passwords.js';

const PATH = '/auth/mails/:list';
const params = Type.Object({ list: Type.String() });
const query = Type.Object({ token: field() });

/** Returns the account of a link in a mail; undefined if the link is not for this list. */
function ownerOf({ keyedTokens }: Pick<Services, 'keyedTokens'>, list: string, token: string): string | undefined {
  const link = keyedTokens.read('unsubscribe', token);
  return isMailList(list) && link?.nonce === listNonce(list) ? link.account : undefined;
}

const wrong = ({ instance }: Pick<Services, 'instance'>) =>
  faultPage(instance, 'Not changed', 'This link is invalid or incomplete.', 422);

/** Returns a form that changes the choice. It needs no session: the recipient of the mail may be signed out. */
const choice = (label: string, wanted: boolean) =>
  html`<form method="post" action="">${hidden({ wanted: String(wanted) })}<button type="submit">${label}</button></form>`;

/** Shows a button. Programs that follow links in mails must end nothing. */
const show = route({
  method: 'GET',
  path: PATH,
  auth: 'none',
  params,
  query,
  handle: async ({ services, params: { list }, query: { token } }) => {
    if (ownerOf(services, list, token) === undefined) return wrong(services);
    const text = html`<p>You get a mail for each new report, because you handle reports.</p>`;
    return layout(services.instance, 'Mails about reports', html`${text}${choice('Stop these mails', false)}`);
  },
});

/**
 * Ends the mails of a list, or begins them again. The mail's program may send this itself, without cookies: the token
 * is the only proof. Source: RFC 8058 §3.1.
 */
const choose = route({
  method: 'POST',
  path: PATH,
  auth: 'none',
  params,
  query,
  body: Type.Object({ wanted: Type.Boolean({ default: false }) }),
  handle: async ({ services, params: { list }, query: { token }, body: { wanted }, remoteAddress }) => {
    const { wrongLinks } = guardsOf(services);
    const { rateLimits } = services.instance;
    const address = addressKey(remoteAddress);
    if (rateLimits && !wrongLinks.take(address)) return tooMany(services);
    const account = ownerOf(services, list, token);
    if (account === undefined) return wrong(services);
    if (rateLimits) wrongLinks.giveBack(address);
    const chosen = await services.askAccount(account, 'chooseMails', { list, wanted });
    if (isProblem(chosen)) return wrong(services);
    const text = wanted ? 'You get a mail for each new report again.' : 'You get no more mails about reports.';
    const back = wanted ? choice('Stop these mails', false) : choice('Send them again', true);
    return layout(services.instance, 'Mails about reports', html`<p>${text}</p>${back}`);
  },
});

/** Links in mails that end further mails of their kind. */
export const mailListRoutes: readonly AnyRoute[] = [show, choose];
