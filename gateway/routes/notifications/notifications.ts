import { type Static, Type } from '@sinclair/typebox';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import { entity } from '../../http/entity.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type Answer, type AnyRoute, json, type Request, route } from '../../http/route.js';
import type { NotificationFilter } from '../../notifications/notification-filter.js';
import { countNotifications, notificationList } from '../../notifications/notifications.js';
import { idParams, pageAnswer } from '../../pages/answers.js';
import { Notification } from '../../pages/notification/notification.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { idText, limitQuery, pageBounds, pageProperties } from '../../paging/bounds.js';
import { storedNotification } from '../../paging/notification-cursor.js';
import { soon } from '../../paging/soon.js';
import { answered, notFound } from '../../viewing/visible.js';

/** The REST API's CountResponse. */
export const CountResponse = entity('CountResponse', {
  count: Type.Integer(),
});

/** More than there are types; unknown names match nothing. */
const TYPES_MAX = 50;
export const typesQuery = () => Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: TYPES_MAX }));

/** Query parameters that select notifications, in all lists and counts. */
export const chosenProperties = {
  types: typesQuery(),
  exclude_types: typesQuery(),
  account_id: Type.Optional(idText()),
  include_filtered: Type.Optional(Type.Boolean()),
};
/**
 * Types that the client supports. Other types come with a text as fallback. Absent: the client does not support
 * fallbacks.
 */
export const supportedProperties = { supported_types: typesQuery() };
const Chosen = Type.Object(chosenProperties);

export function filterOf(query: Static<typeof Chosen>): NotificationFilter {
  const { types, exclude_types, account_id, include_filtered } = query;
  return {
    types: types?.length ? types : undefined,
    excludeTypes: exclude_types,
    from: account_id === undefined ? undefined : storedId(account_id),
    withFiltered: include_filtered,
  };
}

const list = route({
  method: 'GET',
  path: '/api/v1/notifications',
  auth: 'user',
  scope: 'read:notifications',
  query: Type.Object({ ...pageProperties(40, 80), ...chosenProperties, ...supportedProperties }),
  answer: Type.Array(Notification),
  handle: (request) => {
    const { services, viewer = '', query } = request;
    const { exclude_types, account_id, include_filtered, supported_types } = query;
    const bounds = pageBounds(query);
    const filter = filterOf(query);
    const keep = { types: filter.types, exclude_types, account_id, include_filtered, supported_types };
    return soon(notificationList(services, viewer, bounds, filter, supported_types), (page) =>
      pageAnswer(request, bounds, page, new JsonPieces(arrayOf(page.items)), keep),
    );
  },
});

/** Query of a count of unread notifications. Source: Mastodon NotificationsController. */
export const unreadQuery = { limit: limitQuery(100, 1_000), ...chosenProperties };

/** Returns the last notification that the owner has read, on any client. */
export async function lastRead({
  services,
  viewer = '',
}: Pick<Request<unknown, unknown, unknown>, 'services' | 'viewer'>) {
  const { markers } = answered(await services.askAccount(viewer, 'markers', {}));
  const marker = markers.find(({ timeline }) => timeline === 'notifications');
  return marker === undefined ? undefined : storedId(marker.lastReadId);
}

const unread = route({
  method: 'GET',
  path: '/api/v1/notifications/unread_count',
  auth: 'user',
  scope: 'read:notifications',
  query: Type.Object(unreadQuery),
  answer: CountResponse,
  handle: async (request) => {
    const { services, viewer = '', query } = request;
    const above = await lastRead(request);
    return json({ count: await countNotifications(services, viewer, above, query.limit, filterOf(query)) });
  },
});

const get = route({
  method: 'GET',
  path: '/api/v1/notifications/:id',
  auth: 'user',
  scope: 'read:notifications',
  params: idParams,
  query: Type.Object(supportedProperties),
  answer: Notification,
  handle: async ({ services, viewer = '', params, query }) => {
    const id = storedId(params.id);
    const record = await storedNotification(services, viewer, id);
    if (record === undefined) return notFound();
    const stored = [{ id, record }];
    const [notification] = await services.pages.notifications(services, viewer, stored, query.supported_types);
    return notification === undefined ? notFound() : json(new JsonPieces(notification));
  },
});

const clear = route({
  method: 'POST',
  path: '/api/v1/notifications/clear',
  auth: 'user',
  scope: 'write:notifications',
  answer: Type.Object({}),
  handle: async ({ services, viewer = '' }) => {
    const reply = await services.askAccount(viewer, 'clearNotifications', {});
    return isProblem(reply) ? reply : json({});
  },
});

const dismiss = route({
  method: 'POST',
  path: '/api/v1/notifications/:id/dismiss',
  auth: 'user',
  scope: 'write:notifications',
  params: idParams,
  answer: Type.Object({}),
  handle: (request) => dismissOne(request, request.params.id),
});

/** Dismissal for clients before 2.4. */
const dismissNamed = route({
  method: 'POST',
  path: '/api/v1/notifications/dismiss',
  auth: 'user',
  scope: 'write:notifications',
  body: Type.Object({ id: idText() }),
  answer: Type.Object({}),
  handle: (request) => dismissOne(request, request.body.id),
});

export const notificationRoutes: readonly AnyRoute[] = [list, unread, get, clear, dismiss, dismissNamed];

async function dismissOne(
  { services, viewer = '' }: Pick<Request<unknown, unknown, unknown>, 'services' | 'viewer'>,
  named: string,
): Promise<Answer<object> | Problem> {
  const id = storedId(named);
  const record = await storedNotification(services, viewer, id);
  if (record === undefined) return notFound();
  const reply = await services.askAccount(viewer, 'dismissNotification', { id });
  return isProblem(reply) ? reply : json({});
}
