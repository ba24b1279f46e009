import { isProblem, type Problem } from '../../../../actors/domain/problem.js';
import { aliasesPage, migrationPage } from '../../../html/settings/account-pages.js';
import { type Answer, type AnyRoute, redirect } from '../../../http/route.js';
import { field } from '../../../oauth/form.js';
import { addAlias, aliasesOf, moveAccount, type Prevented, removeAlias } from '../../../settings/account-moves.js';
import { refusedPassword } from '../own-password.js';
import { type Personal, personalForm, personalPage } from '../personal.js';

const ALIASES = '/settings/aliases';
const MIGRATION = '/settings/migration';

type Own = Personal<unknown, unknown, unknown>;

const aliases = personalPage({ path: ALIASES }, async ({ site, reader, session, request }) => {
  const { acct: typed } = request.refused?.typed ?? {};
  return aliasesPage(site, reader, { aliases: aliasesOf(session.account), typed });
});

const add = personalForm({ path: ALIASES, page: aliases, body: { acct: field() } }, async (personal) => {
  const { request, session } = personal;
  const acct = request.body.acct.trim();
  if (await isBusy(personal, acct)) return shownAliases(personal, 'busy', acct);
  return shownAliases(personal, await addAlias(request.services, session.account, acct), acct);
});

const remove = personalForm({ path: `${ALIASES}/remove`, page: aliases, body: { uri: field() } }, async (personal) => {
  const { request, session } = personal;
  const { uri } = request.body;
  // Only an address can be removed here, so that no other server is asked.
  if (!uri.includes('://')) return redirect(ALIASES, 303);
  return shownAliases(personal, await removeAlias(request.services, session.account, uri));
});

function shownAliases(
  { site, reader, session }: Own,
  result: readonly string[] | Prevented | Problem | 'busy',
  typed?: string,
): Answer | Problem {
  const { ownAccount } = reader.texts.settings;
  const again = (fault: string, status = 422) => ({
    ...aliasesPage(site, reader, { aliases: aliasesOf(session.account), fault, typed }),
    status,
  });
  if (result === 'busy') return again(ownAccount.tooMany, 429);
  if ('fault' in result) return again(ownAccount.migration.faults[result.fault]);
  if (!isProblem(result)) return redirect(ALIASES, 303);
  return result.problem === 'limit_reached' ? again(ownAccount.aliases.full) : result;
}

const migration = personalPage({ path: MIGRATION }, async ({ site, reader, session, request }) => {
  const { acct: typed } = request.refused?.typed ?? {};
  return migrationPage(site, reader, { movedTo: session.account.movedTo, typed });
});

const move = personalForm(
  { path: MIGRATION, page: migration, body: { acct: field(), current: field() } },
  async (personal) => {
    const { site, reader, session, request } = personal;
    const { account } = session;
    const typed = request.body.acct.trim();
    const again = (fault: string, status = 422) => ({
      ...migrationPage(site, reader, { movedTo: account.movedTo, fault, typed }),
      status,
    });
    const { ownAccount } = reader.texts.settings;
    const refused = await refusedPassword(personal, request.body.current);
    if (refused !== undefined) return again(refused.fault, refused.status);
    if (await isBusy(personal, typed)) return again(ownAccount.tooMany, 429);
    const moved = await moveAccount(request.services, account, typed);
    if (typeof moved === 'string') return redirect(MIGRATION, 303);
    if ('fault' in moved) return again(ownAccount.migration.faults[moved.fault]);
    return moved.problem === 'limit_reached' ? again(ownAccount.migration.tooSoon) : again(moved.detail);
  },
);

const endMove = personalForm({ path: `${MIGRATION}/end`, page: migration, body: {} }, async ({ session, request }) => {
  const ended = await request.services.askAccount(session.account.id, 'endMove', {});
  return isProblem(ended) ? ended : redirect(MIGRATION, 303);
});

/**
 * Looks an address up by the API's search, which counts as an application's request does: nobody makes this server ask
 * others without end. True: there were too many.
 */
async function isBusy({ api }: Own, acct: string): Promise<boolean> {
  const query = new URLSearchParams({ q: acct.slice(0, 320), resolve: 'true', limit: '1' }).toString();
  return (await api({ method: 'GET', path: '/api/v1/accounts/search', query })).status === 429;
}

/** Aliases of an account, and its move to another. */
export const moveRoutes: readonly AnyRoute[] = [aliases, add, remove, migration, move, endMove];
