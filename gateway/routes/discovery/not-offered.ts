import { Type } from '@sinclair/typebox';
import { isProblem, problem } from '../../../actors/domain/problem.js';
import { LANGUAGE_CHARS_MAX } from '../../../actors/domain/text/language.js';
import { entity, nullable } from '../../http/entity.js';
import { type AnyRoute, route } from '../../http/route.js';
import { idParams } from '../../pages/answers.js';
import { visibleStatus } from '../../viewing/visible.js';

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

/** Routes of features that this server does not have: translation. */
export const notOfferedRoutes: readonly AnyRoute[] = [translate];
