import { type Static, Type } from '@sinclair/typebox';
import { trendReviews } from '../../../discovery/trend-reviews.js';
import { TREND_LISTS, trendsPage } from '../../../html/moderation/trends-page.js';
import type { AnyRoute } from '../../../http/route.js';
import { idParams } from '../../../pages/answers.js';
import type { Status } from '../../../pages/status/status.js';
import type { TrendsLink } from '../../../pages/status/trends-link.js';
import type { AdminTag } from '../../admin/admin-trends.js';
import { personalForm, personalPage } from '../personal.js';
import { after, faultOf, type Moderator, read, refusedAct } from './acting.js';

const PATH = '/moderation/trends';
const API = '/api/v1/admin/trends';
const permission = 'manage_taxonomies';
/** Largest pages of the API. */
const LIMITS = { tags: 20, links: 20, statuses: 40 } as const;

const list = personalPage(
  { path: PATH, permission, query: Type.Object({ done: Type.Optional(Type.Boolean()) }) },
  async (moderator) => {
    const { site, reader, request } = moderator;
    const [tags, links, statuses, reviews] = await Promise.all([
      trending<Static<typeof AdminTag>>(moderator, 'tags'),
      trending<TrendsLink>(moderator, 'links'),
      trending<Status>(moderator, 'statuses'),
      trendReviews(request.services.entries),
    ]);
    return trendsPage(site, reader, {
      tags: tags.map(({ id, name, trendable, requires_review: isWaiting }) => ({
        ...{ id, name, isShown: trendable, isWaiting },
      })),
      links: links.map(({ id = '', url, title, provider_name, trendable, requires_review: waits }) => ({
        ...{ id, url, title, provider_name, isShown: trendable === true, isWaiting: waits === true },
      })),
      statuses: statuses.map((status) => ({
        ...{ status, isShown: reviews.shows('status', status.id), isWaiting: reviews.waits('status', status.id) },
      })),
      isDone: request.query.done === true,
    });
  },
);

const trending = async <T>(moderator: Moderator, name: (typeof TREND_LISTS)[number]): Promise<readonly T[]> =>
  (await read<T[]>(moderator, `${API}/${name}`, `limit=${LIMITS[name]}`)) ?? [];

const review = (name: (typeof TREND_LISTS)[number]) =>
  personalForm(
    {
      ...{ path: `${PATH}/${name}/:id`, page: list, permission, params: idParams },
      body: { action: Type.Union([Type.Literal('approve'), Type.Literal('reject')]) },
    },
    async ({ api, reader, request }) => {
      const { params, body } = request;
      const done = await api({ method: 'POST', path: `${API}/${name}/${params.id}/${body.action}` });
      return after(PATH, faultOf(done, reader.texts), refusedAct);
    },
  );

/** Pages of trends for moderators. */
export const trendPageRoutes: readonly AnyRoute[] = [list, ...TREND_LISTS.map(review)];
