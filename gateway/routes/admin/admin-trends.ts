import { Type } from '@sinclair/typebox';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { tagId } from '../../../actors/domain/text/tag-id.js';
import { statuses } from '../../../store/tables.js';
import { tagNamed } from '../../admin-measures/tag-uses.js';
import {
  reviewTrend,
  type TrendKind,
  type TrendReviews,
  trendReviews,
  type Verdict,
} from '../../discovery/trend-reviews.js';
import type { Trend } from '../../discovery/trends.js';
import { extended } from '../../http/entity.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type AnyRoute, json, type Request, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { idParams } from '../../pages/answers.js';
import { Status } from '../../pages/status/status.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { Tag } from '../../pages/status/tag.js';
import { TrendsLink } from '../../pages/status/trends-link.js';
import { forModerators, PLACES } from '../../viewing/judge.js';
import type { ReadServices } from '../../viewing/read-services.js';
import { notFound, visibleById } from '../../viewing/visible.js';
import { someOf } from '../discovery/trends.js';

/** The REST API's AdminTag. */
export const AdminTag = extended('AdminTag', Tag, {
  trendable: Type.Boolean(),
  usable: Type.Boolean(),
  requires_review: Type.Boolean(),
});

const REVIEWED = { tag: AdminTag, link: TrendsLink, status: Status } as const;

const shared = { auth: 'user', permission: 'manage_taxonomies' } as const;
const common = { ...shared, method: 'GET', scope: 'admin:read' } as const;

async function adminTags(
  services: Pick<Services, 'pages' | 'entries'>,
  some: readonly Trend[],
): Promise<Uint8Array[][]> {
  const reviews = await trendReviews(services.entries);
  return some.map(({ name, history }) => {
    const [open = NOTHING] = services.pages.others.tag(name, history, undefined);
    return [open, reviewed(reviews, 'tag', name)];
  });
}

/** Renders links with the id by which they are approved or rejected. */
async function adminLinks(
  services: Pick<Services, 'pages' | 'entries'>,
  some: readonly Trend[],
): Promise<Uint8Array[][]> {
  const reviews = await trendReviews(services.entries);
  return some.map((link) => [services.pages.others.numberedLink(link), reviewed(reviews, 'link', link.name)]);
}

const NOTHING = new Uint8Array();
const FLAGS = [false, true].map((trendable) =>
  [false, true].map((waits) => ({
    tag: Buffer.from(`,"trendable":${trendable},"usable":true,"requires_review":${waits}}`),
    link: Buffer.from(`,"trendable":${trendable},"requires_review":${waits}}`),
  })),
);

/** Returns the fields that only moderators see, and the end of the object. */
function reviewed(reviews: TrendReviews, kind: 'tag' | 'link', name: string): Uint8Array {
  return FLAGS[Number(reviews.shows(kind, name))]?.[Number(reviews.waits(kind, name))]?.[kind] ?? NOTHING;
}

const listOf = (items: readonly Uint8Array[][]) => json(new JsonPieces(arrayOf(items)));

async function adminStatuses(services: ReadServices & Pick<Services, 'pages'>, viewer: string, ids: readonly string[]) {
  const seen = await visibleById(services, viewer, ids, PLACES.public);
  return services.pages.list(services, viewer, seen);
}

type Reviewed = Pick<Request<{ id: string }, unknown, unknown>, 'services' | 'viewer' | 'params'>;

/** Returns the hashtag in use, or the link that trends or was reviewed before, with this id. */
async function named(
  services: Pick<Services, 'tagHistories' | 'trends' | 'entries' | 'tables'>,
  kind: 'tag' | 'link',
  id: string,
): Promise<Trend | undefined> {
  const tag = kind === 'tag' ? await tagNamed(services, id) : undefined;
  if (tag !== undefined) return { name: tag, history: await services.tagHistories.of(tag) };
  const trending = kind === 'link' && (await services.trends.links()).find(({ name }) => tagId(name) === id);
  if (trending) return trending;
  const start = `${kind}:`;
  const decided = (await services.entries.of('trends')).flatMap(({ key }) =>
    key.startsWith(start) ? [key.slice(start.length)] : [],
  );
  const name = decided.find((one) => tagId(one) === id);
  if (name === undefined) return undefined;
  return { name, history: kind === 'tag' ? await services.tagHistories.of(name) : [] };
}

async function reviewNamed({ services, viewer = '', params }: Reviewed, kind: 'tag' | 'link', verdict: Verdict) {
  const trend = await named(services, kind, params.id);
  if (trend === undefined) return notFound();
  const done = await reviewTrend(services, viewer, kind, trend.name, verdict);
  if (isProblem(done)) return done;
  const [rendered] = await (kind === 'tag' ? adminTags(services, [trend]) : adminLinks(services, [trend]));
  return rendered === undefined ? notFound() : json(new JsonPieces(rendered));
}

async function reviewStatus({ services, viewer = '', params }: Reviewed, verdict: Verdict) {
  const status = storedId(params.id);
  const record = await services.tables.get(statuses, { status });
  // Statuses that are not public cannot trend, and a moderator learns no more about them than others do.
  if (record === undefined || record.deleted || record.visibility !== 'public') return notFound();
  const done = await reviewTrend(services, viewer, 'status', status, verdict);
  if (isProblem(done)) return done;
  const rendered = await services.pages.one(services, viewer, forModerators(record));
  return rendered === undefined ? notFound() : json(rendered);
}

function review(collection: string, kind: TrendKind, verb: string, verdict: Verdict): AnyRoute {
  return route({
    ...shared,
    method: 'POST',
    scope: 'admin:write',
    path: `/api/v1/admin/trends/${collection}/:id/${verb}`,
    params: idParams,
    answer: REVIEWED[kind],
    handle: (request) => (kind === 'status' ? reviewStatus(request, verdict) : reviewNamed(request, kind, verdict)),
  });
}

const verdicts = [
  ['reject', 'rejected'],
  ['approve', 'approved'],
] as const;

/** Trends for moderators, who review what people see. */
export const adminTrendRoutes: readonly AnyRoute[] = [
  route({
    ...common,
    path: '/api/v1/admin/trends/tags',
    query: someOf(10, 20),
    answer: Type.Array(AdminTag),
    handle: async ({ services, query }) => {
      const all = await services.trends.tags();
      return listOf(await adminTags(services, all.slice(query.offset, query.offset + query.limit)));
    },
  }),
  route({
    ...common,
    path: '/api/v1/admin/trends/links',
    query: someOf(10, 20),
    answer: Type.Array(TrendsLink),
    handle: async ({ services, query }) => {
      const all = await services.trends.links();
      return listOf(await adminLinks(services, all.slice(query.offset, query.offset + query.limit)));
    },
  }),
  // Links are reviewed one by one, so there are no publishers to review.
  route({
    ...common,
    path: '/api/v1/admin/trends/links/publishers',
    query: someOf(10, 20),
    answer: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    handle: () => json([]),
  }),
  route({
    ...common,
    path: '/api/v1/admin/trends/statuses',
    query: someOf(20, 40),
    answer: Type.Array(Status),
    handle: async ({ services, viewer = '', query }) => {
      const all = await services.trends.statuses();
      return json(await adminStatuses(services, viewer, all.slice(query.offset, query.offset + query.limit)));
    },
  }),
  ...verdicts.flatMap(([verb, verdict]) => [
    review('tags', 'tag', verb, verdict),
    review('links', 'link', verb, verdict),
    review('statuses', 'status', verb, verdict),
  ]),
];
