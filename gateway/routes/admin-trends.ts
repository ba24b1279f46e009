import { renderTag } from '../entities/tag.js';
import { renderTrendsLink } from '../entities/trends-link.js';
import { type AnyRoute, json, route } from '../http/route.js';
import { visibleById } from '../visible.js';
import { LISTED, someOf } from './trends.js';

const common = { method: 'GET', auth: 'user', scope: 'admin:read', permission: 'manage_taxonomies' } as const;
/** Nobody reviews hashtags here: what trends does so at once. */
const REVIEW = { trendable: true, usable: true, requires_review: false };

/** What trends, for those who look after it. */
export const adminTrendRoutes: readonly AnyRoute[] = [
  route({
    ...common,
    path: '/api/v1/admin/trends/tags',
    query: someOf(10, 20),
    handle: async ({ services, query }) => {
      const some = (await services.trends.tags()).slice(query.offset, query.offset + query.limit);
      const rendered = some.map(({ name, history }) => renderTag(services.instance, name, history, undefined));
      return json(rendered.map((tag) => ({ ...tag, ...REVIEW })));
    },
  }),
  route({
    ...common,
    path: '/api/v1/admin/trends/links',
    query: someOf(10, 20),
    handle: async ({ services, query }) => {
      const some = (await services.trends.links()).slice(query.offset, query.offset + query.limit);
      return json(some.map(renderTrendsLink));
    },
  }),
  route({
    ...common,
    path: '/api/v1/admin/trends/statuses',
    query: someOf(20, 40),
    handle: async ({ services, viewer, query }) => {
      const some = (await services.trends.statuses()).slice(query.offset, query.offset + query.limit);
      const seen = await visibleById(services, viewer, some, LISTED);
      return json(await services.pages.list(services, viewer, seen));
    },
  }),
];
