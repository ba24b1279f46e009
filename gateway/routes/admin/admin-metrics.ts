import { Type } from '@sinclair/typebox';
import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import { DIMENSIONS, dimension } from '../../admin-measures/dimensions.js';
import { MEASURES, measure, type Subjects } from '../../admin-measures/measures.js';
import { periodOf } from '../../admin-measures/period.js';
import { retention } from '../../admin-measures/retention.js';
import { entity, nullable, oneOf, time as timeText } from '../../http/entity.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import { limitQuery } from '../../paging/bounds.js';
import { isoTime } from '../../paging/iso-time.js';

/** The REST API's AdminMeasureData. */
const AdminMeasureData = entity('AdminMeasureData', {
  date: timeText(),
  value: Type.String(),
});

/** The REST API's AdminMeasure. */
const AdminMeasure = entity('AdminMeasure', {
  data: Type.Array(AdminMeasureData),
  key: Type.String(),
  total: Type.String(),
  human_value: Type.Optional(nullable(Type.String())),
  previous_total: Type.Optional(nullable(Type.String())),
  unit: Type.Optional(nullable(Type.String())),
});

/** The REST API's AdminDimensionData. */
const AdminDimensionData = entity('AdminDimensionData', {
  human_key: Type.String(),
  key: Type.String(),
  value: Type.String(),
  human_value: Type.Optional(Type.String()),
  unit: Type.Optional(Type.String()),
});

/** The REST API's AdminDimension. */
const AdminDimension = entity('AdminDimension', {
  data: Type.Array(AdminDimensionData),
  key: Type.String(),
});

/** The REST API's CohortData. */
const CohortData = entity('CohortData', {
  date: timeText(),
  rate: Type.Number(),
  value: Type.String(),
});

/** The REST API's AdminCohort. */
const AdminCohort = entity('AdminCohort', {
  data: Type.Array(CohortData),
  frequency: oneOf('day', 'month'),
  period: timeText(),
});

/** There are fewer keys; each is answered once. */
const KEYS_MAX = 30;
const KEY_CHARS_MAX = 100;
const TIME_CHARS_MAX = 40;
/** Longest subject: hashtags and domains. */
const SUBJECT_CHARS_MAX = 500;
/** Entries of one dimension: more than a dashboard shows. */
const RANKED_MAX = 100;
const RANKED_DEFAULT = 10;
const MONTH_MS = 30 * 86_400_000;

const common = { method: 'POST', auth: 'user', scope: 'admin:read', permission: 'view_dashboard' } as const;
const keys = Type.Array(Type.String({ maxLength: KEY_CHARS_MAX }), { maxItems: KEYS_MAX });
const time = () =>
  Type.String({
    maxLength: TIME_CHARS_MAX,
    pattern: '^\\d{4}-\\d{2}-\\d{2}(?:[T ][0-9:.]{5,15}(?:Z|[+-]\\d{2}:?\\d{2})?)?$',
  });
const subject = () => Type.String({ maxLength: SUBJECT_CHARS_MAX });
const ofTag = () => Type.Optional(Type.Object({ id: subject() }));
const ofDomain = () => Type.Optional(Type.Object({ domain: subject() }));

/** Returns the subject of each key, by key. */
function subjectsOf(body: object): Subjects {
  return Object.fromEntries(
    Object.entries(body as Record<string, { id?: string; domain?: string } | undefined>).map(([key, named]) => [
      key,
      named?.id ?? named?.domain,
    ]),
  );
}

/** Computes the known keys, each once and one after the other, because the reads of one are bounded. */
async function each<T extends object>(
  wanted: readonly string[],
  known: readonly string[],
  find: (key: string) => Promise<T | Problem | undefined>,
) {
  const found: T[] = [];
  for (const key of new Set(wanted.filter((one) => known.includes(one)))) {
    const one = await find(key);
    if (isProblem(one)) return one;
    if (one !== undefined) found.push(one);
  }
  return json(found);
}

/** Measures for the dashboards of moderators. Unknown names are left out, as in Mastodon. */
export const adminMetricRoutes: readonly AnyRoute[] = [
  route({
    ...common,
    path: '/api/v1/admin/measures',
    body: Type.Object({
      keys,
      start_at: time(),
      end_at: time(),
      tag_accounts: ofTag(),
      tag_uses: ofTag(),
      tag_servers: ofTag(),
      instance_accounts: ofDomain(),
      instance_media_attachments: ofDomain(),
      instance_reports: ofDomain(),
      instance_statuses: ofDomain(),
      instance_follows: ofDomain(),
      instance_followers: ofDomain(),
    }),
    answer: Type.Array(AdminMeasure),
    handle: ({ services, body: { keys: wanted, start_at, end_at, ...named } }) => {
      const period = periodOf(start_at, end_at);
      if (isProblem(period)) return period;
      return each(wanted, MEASURES, (key) => measure(services, key, period, subjectsOf(named)));
    },
  }),
  route({
    ...common,
    path: '/api/v1/admin/dimensions',
    body: Type.Object({
      keys,
      start_at: Type.Optional(time()),
      end_at: Type.Optional(time()),
      limit: limitQuery(RANKED_DEFAULT, RANKED_MAX),
      tag_servers: ofTag(),
      tag_languages: ofTag(),
      instance_accounts: ofDomain(),
      instance_languages: ofDomain(),
    }),
    answer: Type.Array(AdminDimension),
    handle: ({ services, body: { keys: wanted, start_at, end_at, limit, ...named } }) => {
      const nowMs = services.clock.nowMs();
      const period = periodOf(start_at ?? isoTime(nowMs - MONTH_MS), end_at ?? isoTime(nowMs));
      if (isProblem(period)) return period;
      return each(wanted, DIMENSIONS, (key) => dimension(services, key, { period, limit }, subjectsOf(named)));
    },
  }),
  route({
    ...common,
    path: '/api/v1/admin/retention',
    body: Type.Object({
      start_at: time(),
      end_at: time(),
      frequency: Type.Union([Type.Literal('day'), Type.Literal('month')], { default: 'day' }),
    }),
    answer: Type.Array(AdminCohort),
    handle: async ({ services, body }) => {
      const period = periodOf(body.start_at, body.end_at);
      return isProblem(period) ? period : json(await retention(services, period, body.frequency));
    },
  }),
];
