import { Type } from '@sinclair/typebox';
import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import { tokenUses } from '../../../store/sign-in-tables.js';
import { apps, tokens } from '../../../store/tables.js';
import { type SessionEntry, sessionsPage } from '../../html/auth/sessions-page.js';
import { tokenHash } from '../../http/authenticator.js';
import { type AnyRoute, redirect } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { field } from '../../oauth/form.js';
import { csrfOf } from '../../oauth/session.js';
import { personalForm, personalPage } from '../html/personal.js';

const PATH = '/auth/sessions';

/** Returns the tokens that may act for an account, newest first: at most TOKENS_MAX. */
async function entriesOf(
  services: Pick<Services, 'askAccount' | 'tables' | 'clock'>,
  accountId: string,
  own: string,
): Promise<readonly SessionEntry[] | Problem> {
  const held = await services.askAccount(accountId, 'heldTokens', {});
  if (isProblem(held)) return held;
  const keys = held.hashes.map((hash) => ({ hash }));
  const found = (await services.tables.getMany(tokens, keys)).flatMap((record, index) =>
    record === undefined ? [] : [{ hash: held.hashes[index] ?? '', record }],
  );
  const clients = [...new Set(found.flatMap(({ record }) => (record.kind === 'access' ? [record.clientId] : [])))];
  const known = await services.tables.getMany(
    apps,
    clients.map((client) => ({ client })),
  );
  const uses = await services.tables.getMany(
    tokenUses,
    found.map(({ hash }) => ({ hash })),
  );
  const names = new Map(clients.map((client, index) => [client, known[index]?.name ?? client]));
  const entries = found.map(({ hash, record }, index) => ({
    hash,
    name: record.kind === 'access' ? names.get(record.clientId) : record.browser,
    scopes: record.scopes,
    sinceMs: record.atMs,
    // A use is recorded to the hour, and not before the token's first request.
    usedMs: hash === own ? services.clock.nowMs() : (uses[index]?.atMs ?? record.atMs),
    isOwn: hash === own,
  }));
  return entries.reverse();
}

const show = personalPage(
  { path: PATH, query: Type.Object({ ended: Type.Optional(Type.Boolean()), pushed: Type.Optional(Type.Boolean()) }) },
  async ({ site, reader, session, request: { services, query } }) => {
    const entries = await entriesOf(services, session.account.id, tokenHash(session.token));
    if (isProblem(entries)) return entries;
    return sessionsPage(site, reader, {
      entries,
      csrf: csrfOf(session.token),
      isEnded: query.ended === true,
      isPushed: query.pushed,
    });
  },
);

/** Revokes one of the viewer's own tokens. An unknown or revoked token is no error. */
const revoke = personalForm(
  { path: `${PATH}/revoke`, page: show, body: { token: field() } },
  async ({ session, request }) => {
    const { services, body } = request;
    const revoked = await services.askAccount(session.account.id, 'revokeToken', { tokenHash: body.token });
    return isProblem(revoked) ? revoked : redirect(PATH, 303);
  },
);

/** Pushes a test message to an application of the viewer, on the way of all others. */
const testPush = personalForm(
  { path: `${PATH}/push`, page: show, body: { token: field() } },
  async ({ session, request: { services, body } }) => {
    const made = await services.askAccount(session.account.id, 'testPush', { tokenHash: body.token });
    if (!isProblem(made)) return redirect(`${PATH}?pushed=true`, 303);
    return made.problem === 'not_found' ? redirect(`${PATH}?pushed=false`, 303) : made;
  },
);

/** Revokes all tokens but the one of this browser. */
const endOthers = personalForm({ path: `${PATH}/end_others`, body: {} }, async ({ session, request: { services } }) => {
  const own = { tokenHash: tokenHash(session.token) };
  const revoked = await services.askAccount(session.account.id, 'revokeOtherTokens', own);
  return isProblem(revoked) ? revoked : redirect(`${PATH}?ended=true`, 303);
});

/** Browsers and applications that may act for the signed-in user. */
export const sessionRoutes: readonly AnyRoute[] = [show, revoke, testPush, endOthers];
