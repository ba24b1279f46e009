import { Type } from '@sinclair/typebox';
import { entity, nullable, oneOf } from '../../http/entity.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import { notFound } from '../../viewing/visible.js';

/** The REST API's AsyncRefresh. */
const AsyncRefresh = entity('AsyncRefresh', {
  id: Type.String(),
  status: oneOf('running', 'finished'),
  /** Null if another node of the cluster knows it. */
  result_count: Type.Optional(nullable(Type.Integer())),
});

/** The REST API's AsyncRefreshResponse. */
const AsyncRefreshResponse = entity('AsyncRefreshResponse', {
  async_refresh: AsyncRefresh,
});

const REFRESH_ID_CHARS_MAX = 500;

/** Searches of threads for answers that are not known here. */
export const asyncRefreshRoutes: readonly AnyRoute[] = [
  route({
    method: 'GET',
    path: '/api/v1_alpha/async_refreshes/:id',
    auth: 'user',
    scope: 'read',
    params: Type.Object({ id: Type.String({ maxLength: REFRESH_ID_CHARS_MAX }) }),
    answer: AsyncRefreshResponse,
    handle: ({ services, params: { id } }) => {
      const refresh = services.federation.threads.state(id);
      if (refresh === undefined) return notFound();
      const status = refresh.isRunning ? ('running' as const) : ('finished' as const);
      return json({ async_refresh: { id, status, result_count: refresh.found ?? null } });
    },
  }),
];
