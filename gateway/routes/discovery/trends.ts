import { Type } from '@sinclair/typebox';
import { problem } from '../../../actors/domain/problem.js';
import { trendReviews } from '../../discovery/trend-reviews.js';
import { linkName } from '../../discovery/trends.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import { statusPage } from '../../pages/answers.js';
import { Status } from '../../pages/status/status.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { Tag } from '../../pages/status/tag.js';
import { TrendsLink } from '../../pages/status/trends-link.js';
import { limitQuery, pageBounds, pageProperties } from '../../paging/bounds.js';
import { pageOf } from '../../paging/page.js';
import { PLACES } from '../../viewing/judge.js';
import { notFound, visibleById } from '../../viewing/visible.js';

/** Longest link that is recognised in texts. */
const URL_CHARS_MAX = 2_048;
/** There are fewer trends. */
const OFFSET_MAX = 100;

/** Query schema for a slice of a list of trends. */
export const someOf = (limitDefault: number, limitMax: number) =>
  Type.Object({
    limit: limitQuery(limitDefault, limitMax),
    offset: Type.Integer({ minimum: 0, maximum: OFFSET_MAX, default: 0, clamp: true }),
  });

const withdrawn = route({
  method: 'GET',
  path: '/api/v1/trends',
  auth: 'none',
  answer: Type.Array(Tag),
  handle: () => problem('gone', 'Trending hashtags are at /api/v1/trends/tags'),
});

const tags = route({
  method: 'GET',
  path: '/api/v1/trends/tags',
  auth: 'none',
  query: someOf(10, 20),
  answer: Type.Array(Tag),
  handle: async ({ services, query }) => {
    const reviews = await trendReviews(services.entries);
    const all = (await services.trends.tags()).filter(({ name }) => reviews.shows('tag', name));
    const some = all.slice(query.offset, query.offset + query.limit);
    const { others } = services.pages;
    return json(new JsonPieces(arrayOf(some.map(({ name, history }) => others.tag(name, history, undefined)))));
  },
});

const links = route({
  method: 'GET',
  path: '/api/v1/trends/links',
  auth: 'none',
  query: someOf(10, 20),
  answer: Type.Array(TrendsLink),
  handle: async ({ services, query }) => {
    const reviews = await trendReviews(services.entries);
    const all = (await services.trends.links()).filter(({ name }) => reviews.shows('link', name));
    const some = all.slice(query.offset, query.offset + query.limit);
    return json(new JsonPieces(arrayOf(some.map((link) => [services.pages.others.trendsLink(link)]))));
  },
});

const statuses = route({
  method: 'GET',
  path: '/api/v1/trends/statuses',
  auth: 'optional',
  scope: 'read:statuses',
  query: someOf(20, 40),
  answer: Type.Array(Status),
  handle: async ({ services, viewer, query }) => {
    const reviews = await trendReviews(services.entries);
    const all = (await services.trends.statuses()).filter((id) => reviews.shows('status', id));
    const some = all.slice(query.offset, query.offset + query.limit);
    const seen = await visibleById(services, viewer, some, PLACES.public);
    return json(await services.pages.list(services, viewer, seen));
  },
});

/** Timeline of a link, only for links that trend. Source: Mastodon LinkTimeline. */
const linkTimeline = route({
  method: 'GET',
  path: '/api/v1/timelines/link',
  auth: 'optional',
  scope: 'read:statuses',
  query: Type.Object({ ...pageProperties(), url: Type.String({ minLength: 1, maxLength: URL_CHARS_MAX }) }),
  answer: Type.Array(Status),
  handle: async (request) => {
    const { services, viewer, query } = request;
    const name = linkName(query.url);
    const trend = (await services.trends.links()).find((link) => link.name === name);
    if (trend === undefined || !(await trendReviews(services.entries)).shows('link', trend.name)) return notFound();
    const bounds = pageBounds(query);
    const rows = trend.statusIds.map((id) => ({ id }));
    const { items, ...page } = pageOf(rows, bounds);
    const ids = items.map(({ id }) => id);
    const seen = await visibleById(services, viewer, ids, PLACES.public);
    const visible = seen.filter((status) => status !== undefined);
    return statusPage(request, bounds, { ...page, items: visible }, { url: query.url });
  },
});

/** Trending hashtags, links and statuses. */
export const trendRoutes: readonly AnyRoute[] = [withdrawn, tags, links, statuses, linkTimeline];
