import { Type } from '@sinclair/typebox';
import { isMailList, listNonce } from '../../../actors/domain/mail-lists.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { mailListPage } from '../../html/auth/mail-list-page.js';
import { type AnyRoute, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { field } from '../../oauth/form.js';
import { countLink } from '../../oauth/guards.js';
import { type Asked, plainPage, refuse, tooMany } from './refusals.js';

const PATH = '/auth/mails/:list';
const params = Type.Object({ list: Type.String() });
const query = Type.Object({ token: field() });

/** Returns the account of a link in a mail; undefined if the link is not for this list. */
function ownerOf({ keyedTokens }: Pick<Services, 'keyedTokens'>, list: string, token: string): string | undefined {
  const link = keyedTokens.read('unsubscribe', token);
  return isMailList(list) && link?.nonce === listNonce(list) ? link.account : undefined;
}

const wrong = (asked: Asked) => refuse(asked, 'badList', 422);

/** Shows a button. Programs that follow links in mails must end nothing. */
const show = route({
  method: 'GET',
  path: PATH,
  auth: 'none',
  params,
  query,
  handle: async (request) => {
    const { services, params, query } = request;
    if (ownerOf(services, params.list, query.token) === undefined) return wrong(request);
    return mailListPage(...(await plainPage(request)), { text: 'now', isWanted: true });
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
  page: show,
  body: Type.Object({ wanted: Type.Boolean({ default: false }) }),
  handle: async (request) => {
    const {
      services,
      params: { list },
      query: { token },
      body: { wanted },
      remoteAddress,
    } = request;
    const isRight = countLink(services, remoteAddress);
    if (isRight === undefined) return tooMany(request);
    const account = ownerOf(services, list, token);
    if (account === undefined) return wrong(request);
    isRight();
    const chosen = await services.askAccount(account, 'chooseMails', { list, wanted });
    if (isProblem(chosen)) return wrong(request);
    const text = wanted ? 'started' : 'stopped';
    return mailListPage(...(await plainPage(request)), { text, isWanted: wanted });
  },
});

/** Links in mails that end further mails of their kind. */
export const mailListRoutes: readonly AnyRoute[] = [show, choose];
