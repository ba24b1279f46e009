import { Type } from '@sinclair/typebox';
import { isProblem, problem } from '../../../actors/domain/problem.js';
import { LANGUAGE_CHARS_MAX } from '../../../actors/domain/text/language.js';
import { entity, nullable, oneOf } from '../../http/entity.js';
import { type AnyRoute, route } from '../../http/route.js';
import { idParams } from '../../pages/answers.js';
import { notFound, visibleStatus } from '../../viewing/visible.js';

/** The REST API's TranslationPollOption. */
const TranslationPollOption = entity('TranslationPollOption', {
  title: Type.String(),
});

/** The REST API's TranslationPoll. */
const TranslationPoll = entity('TranslationPoll', {
  id: Type.String(),
  options: Type.Array(TranslationPollOption),
});

/** The REST API's TranslationAttachment. */
const TranslationAttachment = entity('TranslationAttachment', {
  description: Type.String(),
  id: Type.String(),
});

/** The REST API's Translation. */
const Translation = entity('Translation', {
  content: Type.String(),
  detected_source_language: Type.String(),
  language: Type.String(),
  media_attachments: Type.Array(TranslationAttachment),
  provider: Type.String(),
  spoiler_text: Type.String(),
  poll: Type.Optional(nullable(TranslationPoll)),
});

/** The REST API's AsyncRefresh. */
const AsyncRefresh = entity('AsyncRefresh', {
  id: Type.String(),
  status: oneOf('running', 'finished'),
  result_count: Type.Optional(nullable(Type.Integer())),
});

/** The REST API's AsyncRefreshResponse. */
const AsyncRefreshResponse = entity('AsyncRefreshResponse', {
  async_refresh: AsyncRefresh,
});

const REFRESH_ID_CHARS_MAX = 500;

const translate = route({
  method: 'POST',
  path: '/api/v1/statuses/:id/translate',
  auth: 'user',
  scope: 'read:statuses',
  params: idParams,
  body: Type.Object({ lang: Type.Optional(Type.String({ maxLength: LANGUAGE_CHARS_MAX })) }),
  answer: Translation,
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
  answer: AsyncRefreshResponse,
  handle: () => notFound(),
});

/** Routes of features that this server does not have: translation and asynchronous refreshes. */
export const notOfferedRoutes: readonly AnyRoute[] = [translate, asyncRefresh];
