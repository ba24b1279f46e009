import { Type } from '@sinclair/typebox';
import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import { html, nothing } from '../../../actors/domain/text/html.js';
import type { StoreTokenRecord } from '../../../proto/gen/types.js';
import { apps, tokens } from '../../../store/tables.js';
import { tokenHash } from '../../http/authenticator.js';
import { type AnyRoute, redirect, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { field } from '../../oauth/form.js';
import { hidden, layout } from '../../oauth/pages/layout.js';
import { csrfOf, isOwnForm, sessionOf } from '../../oauth/session.js';
import { isoDay } from '../../paging/iso-time.js';
import { foreignForm } from './authorize.js';

const PATH = '/auth/sessions';

interface SessionEntry {
  /** Hash of the token; it does not reveal the token. */
  readonly hash: string;
  readonly record: StoreTokenRecord;
  /** Name of the application; a browser has none. */
  readonly name: string | undefined;
}

/** Returns the tokens that may act for an account, newest first: at most TOKENS_MAX. */
async function entriesOf(
  services: Pick<Services, 'askAccount' | 'tables'>,
  accountId: string,
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
  const names = new Map(clients.map((client, index) => [client, known[index]?.name ?? client]));
  return found.reverse().map((entry) => ({ ...entry, name: names.get(entry.record.clientId) }));
}

const show = route({
  method: 'GET',
  path: PATH,
  auth: 'none',
  handle: async ({ services, headers }) => {
    const session = await sessionOf(services, headers);
    if (session === undefined) return redirect('/auth/sign_in', 303);
    const entries = await entriesOf(services, session.account.id);
    if (isProblem(entries)) return entries;
    const own = tokenHash(session.token);
    const csrf = csrfOf(session.token);
    const items = entries.map(({ hash, record, name }) => {
      const mark = hash === own ? html` <span class="mark">this one</span>` : nothing;
      const scopes = record.scopes.length === 0 ? nothing : html`<code>${record.scopes.join(' ')}</code>`;
      return html`<li><p class="group"><strong>${name ?? 'A browser'}</strong>${mark}</p>
<p>since ${isoDay(record.atMs)} ${scopes}</p>
<form method="post" action="${PATH}/revoke">${hidden({ csrf, token: hash })}
<button type="submit" class="plain">${hash === own ? 'Sign out' : 'Revoke access'}</button></form></li>`;
    });
    return layout(services.instance, 'Browsers and applications', html`<ul>${items}</ul>`);
  },
});

/** Revokes one of the viewer's own tokens. An unknown or revoked token is no error. */
const revoke = route({
  method: 'POST',
  path: '/auth/sessions/revoke',
  auth: 'none',
  body: Type.Object({ csrf: field(), token: field() }),
  handle: async ({ services, body, headers }) => {
    const session = await sessionOf(services, headers);
    if (session === undefined || !isOwnForm(services, headers, session.token, body.csrf)) return foreignForm(services);
    const revoked = await services.askAccount(session.account.id, 'revokeToken', { tokenHash: body.token });
    return isProblem(revoked) ? revoked : redirect(PATH, 303);
  },
});

/** Browsers and applications that may act for the signed-in user. */
export const sessionRoutes: readonly AnyRoute[] = [show, revoke];
