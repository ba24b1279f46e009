import { Type } from '@sinclair/typebox';
import { isProblem, type Problem } from '../../../../actors/domain/problem.js';
import { type AnyRoute, redirect } from '../../../http/route.js';
import type { Status } from '../../../pages/status/status.js';
import { idText } from '../../../paging/bounds.js';
import { UPLOAD_BYTES_MAX } from '../../media/media.js';
import { type Personal, personalForm } from '../personal.js';
import type { Typed } from './draft.js';
import { answered, type Files, filesOf, pollOf, postFields, typedOf } from './post-form.js';
import { home, showHome, showThread } from './reading.js';

const VISIBILITY_CHARS_MAX = 20;

/** The form of a new post or reply. */
export const compose: AnyRoute = personalForm(
  {
    path: '/web/compose',
    page: home,
    body: {
      ...postFields,
      visibility: Type.Optional(Type.String({ maxLength: VISIBILITY_CHARS_MAX })),
      in_reply_to_id: Type.Optional(idText()),
    },
    multipartBytesMax: UPLOAD_BYTES_MAX,
  },
  async (personal) => {
    const typed = typedOf(personal.request.body);
    const { kept, media, refusal } = await filesOf(personal, typed);
    const posted = refusal ?? (await post(personal, typed, media));
    const parent = typed.in_reply_to_id;
    if (!isProblem(posted))
      return redirect(
        parent === undefined ? `/web#post-${posted.id}` : `/web/posts/${posted.id}#post-${posted.id}`,
        303,
      );
    const again = { ...typed, ...kept };
    const { detail } = posted;
    return parent === undefined ? showHome(personal, again, detail) : showThread(personal, parent, again, detail);
  },
);

async function post(
  { api }: Pick<Personal<unknown, unknown, unknown>, 'api'>,
  typed: Typed,
  media: Files['media'],
): Promise<Status | Problem> {
  // The form may have been shown again with these uploads, and their descriptions changed since.
  for (const { id, description } of media.filter(({ isNew }) => !isNew)) {
    const described = answered(await api({ method: 'PUT', path: `/api/v1/media/${id}`, body: { description } }));
    if (isProblem(described)) return described;
  }
  const { status, spoiler_text, visibility, sensitive, language, in_reply_to_id } = typed;
  const body = {
    ...given({ status, spoiler_text, visibility, language, in_reply_to_id, poll: pollOf(typed) }),
    ...(sensitive !== undefined && { sensitive: sensitive === 'true' }),
    media_ids: media.map(({ id }) => id),
  };
  return answered(await api<Status>({ method: 'POST', path: '/api/v1/statuses', body }));
}

const given = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''));
