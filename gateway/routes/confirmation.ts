import { Type } from '@sinclair/typebox';
import { isProblem } from '../../actors/domain/problem.js';
import { accounts } from '../../store/tables.js';
import { tokenHash } from '../http/authenticator.js';
import { idText } from '../http/paging.js';
import { type AnyRoute, page, route } from '../http/route.js';
import { storedId } from './lists.js';

/** Longest token that is looked at; ours have 43 characters. */
const TOKEN_CHARS_MAX = 512;

/** The link of the mail that a sign-up sends. Opening it again is no error. */
const confirm = route({
  method: 'GET',
  path: '/auth/confirmation',
  auth: 'none',
  query: Type.Object({
    account_id: idText(),
    confirmation_token: Type.String({ minLength: 1, maxLength: TOKEN_CHARS_MAX }),
  }),
  handle: async ({ services, query }) => {
    const account = storedId(query.account_id);
    // No actor is woken for an account that is not there.
    if ((await services.tables.get(accounts, { account })) === undefined) return refused();
    const reply = await services.askAccount(account, 'confirmEmail', {
      tokenHash: tokenHash(query.confirmation_token),
    });
    if (isProblem(reply)) return refused();
    return page(document('Confirmed', 'Your e-mail address is confirmed. You can go back to your app.'));
  },
});

const refused = () => page(document('Not confirmed', 'This link is not valid, or no longer.'), 422);

function document(title: string, text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>`;
}

/** What people open from a mail. */
export const confirmationRoutes: readonly AnyRoute[] = [confirm];
