import { type Static, Type } from '@sinclair/typebox';
import { RECEPTIONS } from '../../../actors/account/notification-policy.js';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import type { AccountNotificationPolicyNow } from '../../../proto/gen/types.js';
import { entity, type Shape } from '../../http/entity.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type AnyRoute, json, type Request, route } from '../../http/route.js';
import { idParams, pageAnswer } from '../../pages/answers.js';
import { NotificationRequest, requestPieces } from '../../pages/notification/notification-requests.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { idText, pageBounds, pageQuery } from '../../paging/bounds.js';
import { soon } from '../../paging/soon.js';
import { askSoon } from '../../viewing/read-services.js';
import { answered, notFound } from '../../viewing/visible.js';

/** The REST API's NotificationPolicy. */
const NotificationPolicy = entity('NotificationPolicy', {
  for_limited_accounts: Type.String(),
  for_new_accounts: Type.String(),
  for_not_followers: Type.String(),
  for_not_following: Type.String(),
  for_private_mentions: Type.String(),
  summary: Type.Object({
    pending_notifications_count: Type.Integer(),
    pending_requests_count: Type.Integer(),
  }),
});

/** The REST API's V1NotificationPolicy. */
const V1NotificationPolicy = entity('V1NotificationPolicy', {
  filter_new_accounts: Type.Boolean(),
  filter_not_followers: Type.Boolean(),
  filter_not_following: Type.Boolean(),
  filter_private_mentions: Type.Boolean(),
  summary: Type.Object({
    pending_notifications_count: Type.Integer(),
    pending_requests_count: Type.Integer(),
  }),
});

/** The REST API's MergedResponse. */
const MergedResponse = entity('MergedResponse', {
  merged: Type.Boolean(),
});

/** Twice the size of a page. */
const REQUEST_IDS_MAX = 200;

const READ = 'read:notifications';
const WRITE = 'write:notifications';
const way = () => Type.Optional(Type.Union(RECEPTIONS.map((word) => Type.Literal(word))));
const Change = Type.Object({
  for_not_following: way(),
  for_not_followers: way(),
  for_new_accounts: way(),
  for_private_mentions: way(),
  for_limited_accounts: way(),
});

const policy = route({
  method: 'GET',
  path: '/api/v2/notifications/policy',
  auth: 'user',
  scope: READ,
  answer: NotificationPolicy,
  handle: async ({ services, viewer = '' }) =>
    json(renderPolicy(answered(await services.askAccount(viewer, 'notificationPolicy', {})))),
});

const setPolicy = route({
  method: 'PATCH',
  path: '/api/v2/notifications/policy',
  auth: 'user',
  scope: WRITE,
  body: Change,
  answer: NotificationPolicy,
  handle: async ({ services, viewer = '', body }) => {
    const reply = await services.askAccount(viewer, 'setNotificationPolicy', changeOf(body));
    return isProblem(reply) ? reply : json(renderPolicy(reply));
  },
});

/** Policy of older clients, which has only two values per rule. Every value but `accept` appears as filtered. */
const oldPolicy = route({
  method: 'GET',
  path: '/api/v1/notifications/policy',
  auth: 'user',
  scope: READ,
  answer: V1NotificationPolicy,
  handle: async ({ services, viewer = '' }) =>
    json(renderOldPolicy(answered(await services.askAccount(viewer, 'notificationPolicy', {})))),
});

const setOldPolicy = route({
  method: 'PATCH',
  path: '/api/v1/notifications/policy',
  auth: 'user',
  scope: WRITE,
  body: Type.Object({
    filter_not_following: Type.Optional(Type.Boolean()),
    filter_not_followers: Type.Optional(Type.Boolean()),
    filter_new_accounts: Type.Optional(Type.Boolean()),
    filter_private_mentions: Type.Optional(Type.Boolean()),
  }),
  answer: V1NotificationPolicy,
  handle: async ({ services, viewer = '', body }) => {
    const reply = await services.askAccount(viewer, 'setNotificationPolicy', {
      notFollowing: keptBack(body.filter_not_following),
      notFollowers: keptBack(body.filter_not_followers),
      newAccounts: keptBack(body.filter_new_accounts),
      privateMentions: keptBack(body.filter_private_mentions),
    });
    return isProblem(reply) ? reply : json(renderOldPolicy(reply));
  },
});

const list = route({
  method: 'GET',
  path: '/api/v1/notifications/requests',
  auth: 'user',
  scope: READ,
  query: pageQuery(40, 80),
  answer: Type.Array(NotificationRequest),
  handle: (request) => {
    const { services, viewer = '', query } = request;
    const bounds = pageBounds(query);
    return soon(askSoon(services, viewer, 'notificationRequests', bounds), (reply) => {
      const { requests, more } = answered(reply);
      const page = { newest: requests[0]?.id, oldest: requests.at(-1)?.id, more };
      return soon(requestPieces(services, viewer, requests), (pieces) =>
        pageAnswer(request, bounds, page, new JsonPieces(arrayOf(pieces))),
      );
    });
  },
});

/** Accepted notifications are merged before the acceptance is answered, so the answer is always true. */
const merged = route({
  method: 'GET',
  path: '/api/v1/notifications/requests/merged',
  auth: 'user',
  scope: READ,
  answer: MergedResponse,
  handle: () => json({ merged: true }),
});

const get = route({
  method: 'GET',
  path: '/api/v1/notifications/requests/:id',
  auth: 'user',
  scope: READ,
  params: idParams,
  answer: NotificationRequest,
  handle: async ({ services, viewer = '', params }) => {
    const found = await services.askAccount(viewer, 'notificationRequest', { ids: [storedId(params.id)] });
    if (isProblem(found)) return found;
    const [pieces] = await requestPieces(services, viewer, [found]);
    return pieces === undefined ? notFound() : json(new JsonPieces(pieces));
  },
});

type Settling = 'acceptNotificationRequests' | 'dismissNotificationRequests';

const one = (verb: string, command: Settling) =>
  route({
    method: 'POST',
    path: `/api/v1/notifications/requests/:id/${verb}`,
    auth: 'user',
    scope: WRITE,
    params: idParams,
    answer: Type.Object({}),
    handle: async (request) => {
      const ids = [storedId(request.params.id)];
      const found = await request.services.askAccount(request.viewer ?? '', 'notificationRequest', { ids });
      return isProblem(found) ? found : settle(request, command, ids);
    },
  });

const several = (verb: string, command: Settling) =>
  route({
    method: 'POST',
    path: `/api/v1/notifications/requests/${verb}`,
    auth: 'user',
    scope: WRITE,
    body: Type.Object({ id: Type.Optional(Type.Array(idText(), { maxItems: REQUEST_IDS_MAX })) }),
    answer: Type.Object({}),
    handle: (request) => settle(request, command, (request.body.id ?? []).map(storedId)),
  });

/** Policy for notifications, and the requests that wait for a decision. */
export const notificationPolicyRoutes: readonly AnyRoute[] = [
  policy,
  setPolicy,
  oldPolicy,
  setOldPolicy,
  list,
  merged,
  get,
  one('accept', 'acceptNotificationRequests'),
  one('dismiss', 'dismissNotificationRequests'),
  several('accept', 'acceptNotificationRequests'),
  several('dismiss', 'dismissNotificationRequests'),
];

async function settle(
  { services, viewer = '' }: Pick<Request<unknown, unknown, unknown>, 'services' | 'viewer'>,
  command: Settling,
  ids: readonly string[],
) {
  const reply = await services.askAccount(viewer, command, { ids });
  return isProblem(reply) ? reply : json({});
}

function changeOf(body: Static<typeof Change>) {
  return {
    notFollowing: body.for_not_following,
    notFollowers: body.for_not_followers,
    newAccounts: body.for_new_accounts,
    privateMentions: body.for_private_mentions,
    limitedAccounts: body.for_limited_accounts,
  };
}

/** Renders the REST API's NotificationPolicy. */
function renderPolicy({
  policy: rules,
  requests,
  notifications,
}: AccountNotificationPolicyNow): Shape<typeof NotificationPolicy> {
  return {
    for_not_following: rules?.notFollowing ?? 'accept',
    for_not_followers: rules?.notFollowers ?? 'accept',
    for_new_accounts: rules?.newAccounts ?? 'accept',
    for_private_mentions: rules?.privateMentions ?? 'accept',
    for_limited_accounts: rules?.limitedAccounts ?? 'accept',
    summary: { pending_requests_count: requests, pending_notifications_count: notifications },
  };
}

function keptBack(wanted: boolean | undefined): string | undefined {
  if (wanted === undefined) return undefined;
  return wanted ? 'filter' : 'accept';
}

/** Renders the REST API's V1NotificationPolicy. */
function renderOldPolicy(now: AccountNotificationPolicyNow): Shape<typeof V1NotificationPolicy> {
  const { summary, ...ways } = renderPolicy(now);
  return {
    filter_not_following: ways.for_not_following !== 'accept',
    filter_not_followers: ways.for_not_followers !== 'accept',
    filter_new_accounts: ways.for_new_accounts !== 'accept',
    filter_private_mentions: ways.for_private_mentions !== 'accept',
    summary,
  };
}
