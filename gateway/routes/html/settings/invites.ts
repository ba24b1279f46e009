import { Type } from '@sinclair/typebox';
import { isProblem, type Problem, problem } from '../../../../actors/domain/problem.js';
import { invitesPage, LIFETIMES, type Lifetime, USES } from '../../../html/settings/invites-page.js';
import { type Answer, type AnyRoute, redirect } from '../../../http/route.js';
import { newNonce } from '../../../oauth/clients.js';
import { field } from '../../../oauth/form.js';
import { type Personal, personalForm, personalPage } from '../personal.js';

const PATH = '/settings/invites';

type Shown = Pick<Personal<unknown, unknown, unknown>, 'request' | 'session' | 'site' | 'reader'>;

async function list(
  { request, session, site, reader }: Shown,
  more: { readonly isSaved: boolean; readonly fault?: string },
): Promise<Answer | Problem> {
  if (!reader.person?.mayInvite) return forbidden();
  const { askAccount, keyedTokens, instance, clock } = request.services;
  const held = await askAccount(session.account.id, 'invites', {});
  if (isProblem(held)) return held;
  const invites = held.invites.map(({ nonce, uses, maxUses, expiresAtMs }) => {
    const url = `${instance.baseUrl}/invite/${keyedTokens.make('invite', { account: session.account.id, nonce })}`;
    return { nonce, url, uses, maxUses, expiresAtMs };
  });
  return invitesPage(site, reader, { invites: invites.reverse(), nowMs: clock.nowMs(), ...more });
}

const forbidden = () => problem('forbidden', 'This action is not allowed');

const show = personalPage({ path: PATH, query: Type.Object({ saved: Type.Optional(Type.Boolean()) }) }, (personal) =>
  list(personal, { isSaved: personal.request.query.saved === true }),
);

const create = personalForm(
  {
    path: PATH,
    page: show,
    body: {
      max_uses: Type.Union(USES.map((count) => Type.Literal(String(count)))),
      lifetime: Type.Union(Object.keys(LIFETIMES).map((one) => Type.Literal(one))),
    },
  },
  async (personal) => {
    const { request, session, reader } = personal;
    if (!reader.person.mayInvite) return forbidden();
    const { services, body } = request;
    const lifetimeMs = LIFETIMES[body.lifetime as Lifetime];
    const created = await services.askAccount(session.account.id, 'createInvite', {
      nonce: newNonce(services),
      maxUses: Number(body.max_uses),
      expiresAtMs: lifetimeMs === 0 ? 0 : services.clock.nowMs() + lifetimeMs,
    });
    if (!isProblem(created)) return redirect(`${PATH}?saved=true`, 303);
    if (created.problem !== 'limit_reached') return created;
    return list(personal, { isSaved: false, fault: reader.texts.settings.invites.full });
  },
);

/** Revokes an invitation. An unknown or revoked one is no error. */
const revoke = personalForm(
  { path: `${PATH}/revoke`, page: show, body: { nonce: field() } },
  async ({ session, request }) => {
    const { services, body } = request;
    const revoked = await services.askAccount(session.account.id, 'revokeInvite', { nonce: body.nonce });
    return isProblem(revoked) ? revoked : redirect(PATH, 303);
  },
);

/** Invitations of a person. */
export const inviteRoutes: readonly AnyRoute[] = [show, create, revoke];
