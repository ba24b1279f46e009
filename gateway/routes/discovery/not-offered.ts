import { Type } from '@sinclair/typebox';
import { isProblem, problem } from '../../../actors/domain/problem.js';
import { LANGUAGE_CHARS_MAX } from '../../../actors/domain/text/language.js';
import { type AnyRoute, route } from '../../http/route.js';
import { idParams } from '../../pages/answers.js';
import { notFound, visibleStatus } from '../../viewing/visible.js';

const REFRESH_ID_CHARS_MAX = 500;

const translate = route({
  method: 'POST',
  path: '/api/v1/statuses/:id/translate',
  auth: 'user',
  scope: 'read:statuses',
  params: idParams,
  body: Type.Object({ lang: Type.Optional(Type.String({ maxLength: LANGUAGE_CHARS_MAX })) }),
  handle: async ({ services, viewer, params }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    return isProblem(seen) ? seen : problem('not_found', 'This server has no translation service');
  },
});

const asyncRefresh = route({
  method: 'GET',
  path: '/api/v1_alpha/async_refreshes/:id',
  auth: 'user',
  scope: 'read',
  params: Type.Object({ id: Type.String({ maxLength: REFRESH_ID_CHARS_MAX }) }),
  handle: () => notFound(),
});

/** Routes of features that this server does not have: translation and asynchronous refreshes. */
export const notOfferedRoutes: readonly AnyRoute[] = [translate, asyncRefresh];
