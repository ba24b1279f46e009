import { Type } from '@sinclair/typebox';
import { problem } from '../../actors/domain/problem.js';
import { renderTag } from '../entities/tag.js';
import { renderTrendsLink } from '../entities/trends-link.js';
import { limitQuery } from '../http/paging.js';
import { type AnyRoute, json, route } from '../http/route.js';
import { visibleById } from '../visible.js';

/** There are not so many trends. */
const OFFSET_MAX = 100;

const pageOf = (limitDefault: number, limitMax: number) =>
  Type.Object({
    limit: limitQuery(limitDefault, limitMax),
    offset: Type.Integer({ minimum: 0, maximum: OFFSET_MAX, default: 0, clamp: true }),
  });

const withdrawn = route({
  method: 'GET',
  path: '/api/v1/trends',
  auth: 'none',
  handle: () => problem('gone', 'Trending hashtags are at /api/v1/trends/tags'),
});

const tags = route({
  method: 'GET',
  path: '/api/v1/trends/tags',
  auth: 'none',
  query: pageOf(10, 20),
  handle: async ({ services, query }) => {
    const some = (await services.trends.tags()).slice(query.offset, query.offset + query.limit);
    return json(some.map(({ name, history }) => renderTag(services.instance, name, history, undefined)));
  },
});

const links = route({
  method: 'GET',
  path: '/api/v1/trends/links',
  auth: 'none',
  query: pageOf(10, 20),
  handle: async ({ services, query }) => {
    const some = (await services.trends.links()).slice(query.offset, query.offset + query.limit);
    return json(some.map(renderTrendsLink));
  },
});

const statuses = route({
  method: 'GET',
  path: '/api/v1/trends/statuses',
  auth: 'optional',
  scope: 'read:statuses',
  query: pageOf(20, 40),
  handle: async ({ services, viewer, query }) => {
    const some = (await services.trends.statuses()).slice(query.offset, query.offset + query.limit);
    const seen = await visibleById(services, viewer, some, { hideBlocked: true, hideMuted: true });
    return json(await services.pages.list(services, viewer, seen));
  },
});

/** What many use, mark and link of late. */
export const trendRoutes: readonly AnyRoute[] = [withdrawn, tags, links, statuses];
