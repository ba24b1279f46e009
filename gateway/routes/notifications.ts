import { Type } from '@sinclair/typebox';
import { eraOfId } from '../../actors/domain/ids.js';
import { isProblem } from '../../actors/domain/problem.js';
import { notifications } from '../../store/tables.js';
import { JsonPieces } from '../cards/json-pieces.js';
import { arrayOf } from '../cards/status-pages.js';
import { idText, pageBounds, pageProperties } from '../http/paging.js';
import { type AnyRoute, json, route } from '../http/route.js';
import { notificationList } from '../timelines/notifications.js';
import { notFound } from '../visible.js';
import { idParams, pageAnswer, storedId } from './lists.js';

/** More than there are types; names that are not known match nothing. */
const TYPES_MAX = 50;
const types = () => Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: TYPES_MAX }));

const list = route({
  method: 'GET',
  path: '/api/v1/notifications',
  auth: 'user',
  scope: 'read:notifications',
  query: Type.Object({
    ...pageProperties(40, 80),
    types: types(),
    exclude_types: types(),
    account_id: Type.Optional(idText()),
    include_filtered: Type.Optional(Type.Boolean()),
  }),
  handle: async (request) => {
    const { services, viewer = '', query } = request;
    const { exclude_types, account_id, include_filtered } = query;
    const wanted = query.types?.length ? query.types : undefined;
    const bounds = pageBounds(query);
    const from = account_id === undefined ? undefined : storedId(account_id);
    const page = await notificationList(services, viewer, bounds, { types: wanted, excludeTypes: exclude_types, from });
    return pageAnswer(request, bounds, page, new JsonPieces(arrayOf(page.items)), {
      types: wanted,
      exclude_types,
      account_id,
      include_filtered,
    });
  },
});

const get = route({
  method: 'GET',
  path: '/api/v1/notifications/:id',
  auth: 'user',
  scope: 'read:notifications',
  params: idParams,
  handle: async ({ services, viewer = '', params }) => {
    const id = storedId(params.id);
    const record = await services.tables.get(notifications, { account: viewer, era: eraOfId(id), notification: id });
    if (record === undefined) return notFound();
    const [notification] = await services.pages.notifications(services, viewer, [{ id, record }]);
    return notification === undefined ? notFound() : json(new JsonPieces(notification));
  },
});

const clear = route({
  method: 'POST',
  path: '/api/v1/notifications/clear',
  auth: 'user',
  scope: 'write:notifications',
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
  handle: async ({ services, viewer = '', params }) => {
    const id = storedId(params.id);
    const record = await services.tables.get(notifications, { account: viewer, era: eraOfId(id), notification: id });
    if (record === undefined) return notFound();
    const reply = await services.askAccount(viewer, 'dismissNotification', { id });
    return isProblem(reply) ? reply : json({});
  },
});

export const notificationRoutes: readonly AnyRoute[] = [list, get, clear, dismiss];
