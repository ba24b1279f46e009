import { createPublicKey } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { PUSH_ALERTS, PUSH_POLICIES } from '../../../actors/account/push.js';
import { invalidField, isProblem, type Problem } from '../../../actors/domain/problem.js';
import { vapidKeys } from '../../../actors/instance/keys.js';
import type { AccountPushSubscription } from '../../../proto/gen/types.js';
import { isPushEndpoint } from '../../../transport/push-endpoint.js';
import { bearerToken } from '../../http/authenticator.js';
import { entity, oneOf, type Shape, uri } from '../../http/entity.js';
import { type Answer, type AnyRoute, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';

/** The REST API's WebPushSubscription. */
const WebPushSubscription = entity('WebPushSubscription', {
  id: Type.String(),
  endpoint: uri(),
  standard: Type.Boolean(),
  alerts: Type.Object(Object.fromEntries(PUSH_ALERTS.map((name) => [name, Type.Boolean()]))),
  policy: oneOf(...PUSH_POLICIES),
  server_key: Type.String(),
});

/** Longer than the endpoint of any push service. */
const ENDPOINT_CHARS_MAX = 2_048;
/** 65 bytes in base64, with room for padding and surrounding spaces. */
const KEY_CHARS_MAX = 200;
/** Sizes of an uncompressed point of P-256 and of the secret in RFC 8291. */
const POINT_BYTES = 65;
const SECRET_BYTES = 16;

const Policy = Type.Optional(Type.Union(PUSH_POLICIES.map((name) => Type.Literal(name))));
const Alerts = Type.Optional(
  Type.Object(Object.fromEntries(PUSH_ALERTS.map((name) => [name, Type.Optional(Type.Boolean())]))),
);
/** The policy may be inside `data`, beside the alerts, or outside. */
const Wishes = { data: Type.Optional(Type.Object({ alerts: Alerts, policy: Policy })), policy: Policy };
type Wishes = Static<ReturnType<typeof wishes>>;
const wishes = () => Type.Object(Wishes);

const shared = { auth: 'user', scope: 'push' } as const;

/** Newer clients use the singular, older ones the plural. */
const paths = ['/api/v1/push/subscription', '/api/v1/push/subscriptions'];

/** An own extension: pushes a test message to the client's subscription, on the way of all others. */
const test = route({
  method: 'POST',
  path: '/api/v1/push/subscription/test',
  ...shared,
  answer: Type.Object({ notification_id: Type.String() }),
  handle: async ({ services, viewer = '', bearer }) => {
    const made = await services.askAccount(viewer, 'testPush', { tokenHash: bearer?.tokenHash ?? '' });
    return isProblem(made) ? made : json({ notification_id: made.id });
  },
});

const subscriptionRoutes = paths.flatMap((path): AnyRoute[] => [
  route({
    method: 'GET',
    path,
    ...shared,
    answer: WebPushSubscription,
    handle: async ({ services, viewer = '', bearer }) =>
      answer(services, await services.askAccount(viewer, 'pushSubscription', { tokenHash: bearer?.tokenHash ?? '' })),
  }),
  route({
    method: 'POST',
    path,
    ...shared,
    body: Type.Object({
      subscription: Type.Object({
        endpoint: Type.String({ minLength: 1, maxLength: ENDPOINT_CHARS_MAX }),
        keys: Type.Object({
          p256dh: Type.String({ minLength: 1, maxLength: KEY_CHARS_MAX }),
          auth: Type.String({ minLength: 1, maxLength: KEY_CHARS_MAX }),
        }),
        standard: Type.Optional(Type.Boolean()),
      }),
      ...Wishes,
    }),
    answer: WebPushSubscription,
    handle: async ({ services, viewer = '', bearer, body, headers }) => {
      const { endpoint, keys, standard = false } = body.subscription;
      const point = bytesOf(keys.p256dh);
      const secret = bytesOf(keys.auth);
      if (!isPushEndpoint(endpoint, services.addressGuard))
        return invalidField('endpoint', 'Endpoint', 'is not a valid URL');
      if (!isPoint(point) || secret.length !== SECRET_BYTES) return invalidField('keys', 'Keys', 'are not valid');
      const command = {
        ...{ tokenHash: bearer?.tokenHash ?? '', endpoint, standard },
        ...{ p256dh: point.toString('base64url'), auth: secret.toString('base64url') },
        ...{ alerts: alertsOf(body), policy: policyOf(body) ?? 'all' },
        tokenNonce: services.keyedTokens.read('access', bearerToken(headers.authorization) ?? '')?.nonce,
      };
      return answer(services, await services.askAccount(viewer, 'subscribePush', command));
    },
  }),
  route({
    method: 'PUT',
    path,
    ...shared,
    body: wishes(),
    answer: WebPushSubscription,
    handle: async ({ services, viewer = '', bearer, body }) => {
      const changes = { alerts: alertsOf(body), withAlerts: body.data?.alerts !== undefined };
      const command = { ...changes, tokenHash: bearer?.tokenHash ?? '', policy: policyOf(body) ?? '' };
      return answer(services, await services.askAccount(viewer, 'changePush', command));
    },
  }),
  route({
    method: 'DELETE',
    path,
    ...shared,
    answer: Type.Object({}),
    handle: async ({ services, viewer = '', bearer }) => {
      const gone = await services.askAccount(viewer, 'unsubscribePush', { tokenHash: bearer?.tokenHash ?? '' });
      return isProblem(gone) ? gone : json({});
    },
  }),
]);

export const pushRoutes: readonly AnyRoute[] = [...subscriptionRoutes, test];

const policyOf = ({ data, policy }: Wishes) => policy ?? data?.policy;

const alertsOf = ({ data }: Wishes): string[] => PUSH_ALERTS.filter((name) => data?.alerts?.[name] === true);

/** Renders the REST API's WebPushSubscription. */
async function answer(
  services: Pick<Services, 'entries' | 'askInstance'>,
  found: AccountPushSubscription | Problem,
): Promise<Answer<Shape<typeof WebPushSubscription>> | Problem> {
  if (isProblem(found)) return found;
  const { id, endpoint, standard, policy } = found;
  const alerts = Object.fromEntries(PUSH_ALERTS.map((name) => [name, found.alerts.includes(name)]));
  return json({ id, endpoint, standard, alerts, policy, server_key: (await vapidKeys(services)).publicKey });
}

/** Decodes base64 of either alphabet, padded or not; nothing if the text has other characters, which Node ignores. */
const bytesOf = (text: string) => Buffer.from(/^([\w+/-]*)={0,2}$/.exec(text.trim())?.[1] ?? '', 'base64url');

/** Returns true for a point on the curve, so that messages can be encrypted for it. */
function isPoint(point: Buffer): boolean {
  if (point.length !== POINT_BYTES || point[0] !== 4) return false;
  const x = point.subarray(1, 33).toString('base64url');
  const y = point.subarray(33).toString('base64url');
  try {
    createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}
