import { Type } from '@sinclair/typebox';
import { isProblem, problem } from '../../../actors/domain/problem.js';
import { vapidKeys } from '../../../actors/instance/keys.js';
import type { StoreAppRecord } from '../../../proto/gen/types.js';
import { entity, nullable, uri } from '../../http/entity.js';
import { addressKey } from '../../http/limits/client-address.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import { findApp } from '../../oauth/clients.js';
import { guardsOf } from '../../oauth/guards.js';
import {
  APP_NAME_CHARS_MAX,
  APP_WEBSITE_CHARS_MAX,
  appFields,
  newApp,
  REDIRECT_URIS_MAX,
} from '../../oauth/new-app.js';
import { REDIRECT_URI_CHARS_MAX } from '../../oauth/redirects.js';
import { ALL_SCOPES, SCOPES_CHARS_MAX } from '../../oauth/scopes.js';

/** The REST API's Application. */
const Application = entity('Application', {
  id: Type.String(),
  name: Type.String(),
  redirect_uri: Type.String(),
  redirect_uris: Type.Array(uri()),
  scopes: Type.Array(Type.String()),
  vapid_key: Type.String(),
  website: Type.Optional(nullable(uri())),
});

/** The REST API's CredentialApplication. */
const CredentialApplication = entity('CredentialApplication', {
  client_id: Type.String(),
  client_secret: Type.String(),
  id: Type.String(),
  name: Type.String(),
  redirect_uri: Type.String(),
  redirect_uris: Type.Array(uri()),
  scopes: Type.Array(Type.String()),
  vapid_key: Type.String(),
  client_secret_expires_at: Type.Optional(nullable(Type.Integer())),
  website: Type.Optional(nullable(uri())),
});

const WORDS = [...ALL_SCOPES].join('|');
const REDIRECT_SHOWN = { minLength: 1, pattern: '^https?://[a-z0-9]{1,40}\\.[a-z]{2,9}(?:/[a-z0-9/]{0,40})?$' };
/**
 * Demands of the handler that the schema does not enforce, for the OpenAPI document. It shows web addresses as
 * redirects, although others are accepted.
 */
const DEMANDED = {
  required: ['client_name', 'redirect_uris'],
  properties: {
    client_name: { minLength: 1, maxLength: APP_NAME_CHARS_MAX, pattern: '^[^\\s\\u0000]+$' },
    redirect_uris: {
      anyOf: [
        { type: 'string', ...REDIRECT_SHOWN },
        { type: 'array', items: { type: 'string', ...REDIRECT_SHOWN }, minItems: 1, maxItems: REDIRECT_URIS_MAX },
      ],
    },
    scopes: { default: 'read', pattern: `^(?:${WORDS})(?: (?:${WORDS})){0,9}$` },
    website: { pattern: '^(?:https?://[^\\s<>"]+)?$' },
  },
};

const NewApp = Type.Object(
  {
    client_name: Type.String({ default: '', maxLength: 1_000 }),
    redirect_uris: Type.Union([
      Type.String({ maxLength: REDIRECT_URIS_MAX * REDIRECT_URI_CHARS_MAX }),
      Type.Array(Type.String({ maxLength: REDIRECT_URI_CHARS_MAX }), { maxItems: REDIRECT_URIS_MAX }),
    ]),
    scopes: Type.String({ default: 'read', maxLength: SCOPES_CHARS_MAX }),
    website: Type.Optional(Type.String({ maxLength: APP_WEBSITE_CHARS_MAX })),
  },
  { shown: DEMANDED },
);

/** Application of tokens that an operator created at the command line. */
const OWN = { id: '0', name: 'Murmuration', redirectUris: [] };

const createApp = route({
  method: 'POST',
  path: '/api/v1/apps',
  auth: 'none',
  body: NewApp,
  answer: CredentialApplication,
  handle: async ({ services, body, remoteAddress }) => {
    const fields = appFields(body);
    if (isProblem(fields)) return fields;
    if (services.instance.rateLimits && !guardsOf(services).apps.take(addressKey(remoteAddress)))
      return problem('rate_limited', 'Too many requests');
    // The key is loaded before the application is stored: without a key nothing is created.
    const pushKey = (await vapidKeys(services)).publicKey;
    const { clientId, secret, app } = newApp(services, fields);
    await services.registry.putApp(clientId, app);
    return json({
      ...renderApp(app, pushKey),
      client_id: clientId,
      client_secret: secret,
      client_secret_expires_at: 0,
    });
  },
});

const verifyApp = route({
  method: 'GET',
  path: '/api/v1/apps/verify_credentials',
  auth: 'app',
  answer: Application,
  handle: async ({ services, bearer }) => {
    const app = (await findApp(services, bearer?.clientId ?? '')) ?? { ...OWN, scopes: bearer?.scopes ?? [] };
    return json(renderApp(app, (await vapidKeys(services)).publicKey));
  },
});

/** Renders the REST API's Application for its owner. */
function renderApp(app: Omit<StoreAppRecord, 'secretHash' | 'atMs'>, vapidKey: string) {
  return {
    id: app.id,
    name: app.name,
    website: app.website ?? null,
    scopes: app.scopes,
    redirect_uris: app.redirectUris,
    redirect_uri: app.redirectUris.join('\n'),
    vapid_key: vapidKey,
  };
}

export const appRoutes: readonly AnyRoute[] = [createApp, verifyApp];
