import { Type } from '@sinclair/typebox';
import { isProblem, type Problem } from '../../../../actors/domain/problem.js';
import { applicationsPage, type ShownSecret, type TypedApp } from '../../../html/settings/applications-page.js';
import { tokenHash } from '../../../http/authenticator.js';
import { type Answer, type AnyRoute, redirect } from '../../../http/route.js';
import { newSecret } from '../../../oauth/clients.js';
import { field } from '../../../oauth/form.js';
import { APP_WEBSITE_CHARS_MAX, appFields, newApp, REDIRECT_URIS_MAX } from '../../../oauth/new-app.js';
import { REDIRECT_URI_CHARS_MAX } from '../../../oauth/redirects.js';
import { SCOPES_CHARS_MAX } from '../../../oauth/scopes.js';
import { notFound } from '../../../viewing/visible.js';
import { type Personal, personalForm, personalPage } from '../personal.js';

const PATH = '/settings/applications';

type Own = Personal<unknown, unknown, unknown>;

interface More {
  readonly typed?: TypedApp;
  readonly fault?: string;
  readonly secret?: ShownSecret;
}

const ownApps = ({ request, session }: Own) => request.services.askAccount(session.account.id, 'ownApps', {});

async function shown(personal: Own, more: More = {}): Promise<Answer | Problem> {
  const held = await ownApps(personal);
  if (isProblem(held)) return held;
  return applicationsPage(personal.site, personal.reader, { apps: [...held.apps].reverse(), typed: {}, ...more });
}

const show = personalPage({ path: PATH }, (personal) =>
  shown(personal, { typed: personal.request.refused?.typed ?? {} }),
);

const text = (maxLength: number) => Type.String({ default: '', maxLength });

/** Creates an application. Its secret is shown once: only its hash is stored. */
const create = personalForm(
  {
    path: PATH,
    page: show,
    body: {
      client_name: text(1_000),
      website: text(APP_WEBSITE_CHARS_MAX),
      redirect_uris: text(REDIRECT_URIS_MAX * REDIRECT_URI_CHARS_MAX),
      scopes: text(SCOPES_CHARS_MAX),
    },
  },
  async (personal) => {
    const { request, session } = personal;
    const { csrf: _csrf, ...typed } = request.body as TypedApp & { readonly csrf?: string };
    const fields = appFields({ client_name: '', redirect_uris: '', scopes: '', ...typed });
    if (isProblem(fields)) return shown(personal, { typed, fault: fields.detail });
    const { clientId, secret, app } = newApp(request.services, fields);
    const saved = await request.services.askAccount(session.account.id, 'saveOwnApp', { clientId, ...app });
    if (!isProblem(saved)) return shown(personal, { secret: { clientId, secret } });
    return saved.problem === 'limit_reached' ? shown(personal, { typed, fault: saved.detail }) : saved;
  },
);

/** Replaces the secret of an application. The former one is invalid at once. */
const renew = personalForm({ path: `${PATH}/secret`, page: show, body: { client: field() } }, async (personal) => {
  const { request, session } = personal;
  const held = await ownApps(personal);
  if (isProblem(held)) return held;
  const app = held.apps.find(({ clientId }) => clientId === request.body.client);
  if (app === undefined) return notFound();
  const secret = newSecret(request.services);
  const next = { ...app, secretHash: tokenHash(secret) };
  const saved = await request.services.askAccount(session.account.id, 'saveOwnApp', next);
  return isProblem(saved) ? saved : shown(personal, { secret: { clientId: app.clientId, secret } });
});

/** Deletes an application. An unknown or deleted one is no error. */
const remove = personalForm(
  { path: `${PATH}/delete`, page: show, body: { client: field() } },
  async ({ request: { services, body }, session }) => {
    const deleted = await services.askAccount(session.account.id, 'deleteOwnApp', { clientId: body.client });
    return isProblem(deleted) ? deleted : redirect(PATH, 303);
  },
);

/** Applications that a person develops. */
export const applicationRoutes: readonly AnyRoute[] = [show, create, renew, remove];
