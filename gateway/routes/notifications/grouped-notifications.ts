import { Type } from '@sinclair/typebox';
import { isProblem } from '../../../actors/domain/problem.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import { countGroups, notificationGroups } from '../../notifications/notification-groups.js';
import { notificationGroup } from '../../notifications/whole-group.js';
import { Account } from '../../pages/account/account.js';
import { pageAnswer } from '../../pages/answers.js';
import { GroupedNotificationsResults, renderGroups } from '../../pages/notification/notification-groups.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { pageBounds, pageProperties, pageQuery } from '../../paging/bounds.js';
import { pageOf } from '../../paging/page.js';
import { soon } from '../../paging/soon.js';
import { notFound } from '../../viewing/visible.js';
import {
  CountResponse,
  chosenProperties,
  filterOf,
  lastRead,
  supportedProperties,
  typesQuery,
  unreadQuery,
} from './notifications.js';

/** The longest possible key contains two ids and fits. */
const keyParams = Type.Object({ key: Type.String({ maxLength: 100 }) });

const list = route({
  method: 'GET',
  path: '/api/v2/notifications',
  auth: 'user',
  scope: 'read:notifications',
  query: Type.Object({
    ...pageProperties(40, 80),
    ...chosenProperties,
    ...supportedProperties,
    grouped_types: typesQuery(),
    expand_accounts: Type.Optional(Type.Union([Type.Literal('full'), Type.Literal('partial_avatars')])),
  }),
  answer: GroupedNotificationsResults,
  handle: (request) => {
    const { services, viewer = '', query } = request;
    const { exclude_types, account_id, include_filtered, grouped_types, expand_accounts, supported_types } = query;
    const bounds = pageBounds(query);
    const filter = filterOf(query);
    const look = {
      shown: 'page',
      isPartial: expand_accounts === 'partial_avatars',
      supportedTypes: supported_types,
    } as const;
    return soon(notificationGroups(services, viewer, bounds, filter, grouped_types), (page) =>
      soon(renderGroups(services, viewer, page.items, look), (body) =>
        pageAnswer(request, bounds, page, body, {
          types: filter.types,
          exclude_types,
          account_id,
          include_filtered,
          grouped_types,
          expand_accounts,
          supported_types,
        }),
      ),
    );
  },
});

const unread = route({
  method: 'GET',
  path: '/api/v2/notifications/unread_count',
  auth: 'user',
  scope: 'read:notifications',
  query: Type.Object({ ...unreadQuery, grouped_types: typesQuery() }),
  answer: CountResponse,
  handle: async (request) => {
    const { services, viewer = '', query } = request;
    const bounds = { before: undefined, after: await lastRead(request), upwards: false, limit: query.limit };
    return json({ count: await countGroups(services, viewer, bounds, filterOf(query), query.grouped_types) });
  },
});

const get = route({
  method: 'GET',
  path: '/api/v2/notifications/:key',
  auth: 'user',
  scope: 'read:notifications',
  params: keyParams,
  query: Type.Object(supportedProperties),
  answer: GroupedNotificationsResults,
  handle: async ({ services, viewer = '', params, query }) => {
    const group = await notificationGroup(services, viewer, params.key);
    const look = { shown: 'alone', isPartial: false, supportedTypes: query.supported_types } as const;
    return group === undefined ? notFound() : json(await renderGroups(services, viewer, [group], look));
  },
});

const accounts = route({
  method: 'GET',
  path: '/api/v2/notifications/:key/accounts',
  auth: 'user',
  // Mastodon's documentation names the second scope, its code the first.
  scope: ['read:notifications', 'write:notifications'],
  params: keyParams,
  query: pageQuery(40, 80),
  answer: Type.Array(Account),
  handle: async (request) => {
    const { services, viewer = '', params, query } = request;
    const group = await notificationGroup(services, viewer, params.key);
    if (group === undefined) return notFound();
    const bounds = pageBounds(query);
    const page = pageOf(group.members, bounds);
    const records = new Map(page.items.map(({ account }) => [account.id, account]));
    const pieces = Array.from(records.values(), (record) => [services.pages.account(record)]);
    return pageAnswer(request, bounds, page, new JsonPieces(arrayOf(pieces)));
  },
});

const dismiss = route({
  method: 'POST',
  path: '/api/v2/notifications/:key/dismiss',
  auth: 'user',
  scope: 'write:notifications',
  params: keyParams,
  answer: Type.Object({}),
  handle: async ({ services, viewer = '', params }) => {
    const group = await notificationGroup(services, viewer, params.key);
    if (group === undefined) return notFound();
    const reply = await services.askAccount(viewer, 'dismissNotifications', { ids: group.members.map(({ id }) => id) });
    return isProblem(reply) ? reply : json({});
  },
});

/** Notifications in groups of the same kind and subject. */
export const groupedNotificationRoutes: readonly AnyRoute[] = [list, unread, get, accounts, dismiss];
