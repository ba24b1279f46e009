import { isProblem, type Problem } from '../../../../actors/domain/problem.js';
import type { StoreStatusRecord } from '../../../../proto/gen/types.js';
import { editPage, ownHistoryPage } from '../../../html/web/edit-pages.js';
import { type Answer, type AnyRoute, redirect } from '../../../http/route.js';
import { idParams } from '../../../pages/answers.js';
import type { Status } from '../../../pages/status/status.js';
import type { StatusEdit } from '../../../pages/status/status-history.js';
import { notFound, visibleStatus } from '../../../viewing/visible.js';
import { UPLOAD_BYTES_MAX } from '../../media/media.js';
import { type Personal, personalForm, personalPage } from '../personal.js';
import { draftOf, fieldsOf, type Typed } from './draft.js';
import { answered, filesOf, pollOf, postFields, typedOf } from './post-form.js';
import { clientOf } from './reading.js';

type Own = Personal<{ readonly id: string }, unknown, unknown>;

/** Returns a post of the person. Posts of others get the same 404 as missing ones. */
async function ownPost({ request, session }: Own): Promise<StoreStatusRecord | Problem> {
  const viewer = session.account.id;
  const seen = await visibleStatus(request.services, viewer, request.params.id);
  if (isProblem(seen)) return seen;
  return seen.record.accountId === viewer && seen.original === undefined ? seen.record : notFound();
}

/** Shows the form of an edit, with the post as it is and what was typed instead. */
async function showEdit(personal: Own, typed: Typed = {}, fault?: string): Promise<Answer | Problem> {
  const record = await ownPost(personal);
  if (isProblem(record)) return record;
  const path = `/api/v1/statuses/${record.id}`;
  const [client, status] = await Promise.all([clientOf(personal), personal.api<Status>({ method: 'GET', path })]);
  if (status.status !== 200) return notFound();
  const draft = await draftOf(personal, { ...fieldsOf(status.body, record), ...typed });
  return editPage(client, { status: status.body, draft: { ...draft, fault } });
}

const form = personalPage({ path: '/web/posts/:id/edit', params: idParams }, (personal) =>
  showEdit(personal, personal.request.refused?.typed),
);

const edit = personalForm(
  {
    path: '/web/posts/:id/edit',
    page: form,
    params: idParams,
    body: postFields,
    multipartBytesMax: UPLOAD_BYTES_MAX,
  },
  async (personal) => {
    const record = await ownPost(personal);
    if (isProblem(record)) return record;
    const typed = typedOf(personal.request.body);
    const { kept, media, refusal } = await filesOf(personal, typed);
    const poll = pollOf(typed);
    const body = {
      status: typed.status ?? record.text,
      spoiler_text: typed.spoiler_text ?? record.spoilerText,
      sensitive: typed.sensitive === 'true',
      language: typed.language ?? '',
      media_ids: media.map(({ id }) => id),
      media_attributes: media.map(({ id, description }) => ({ id, description })),
      // A poll that hides its counts would be another poll without them, and lose its votes.
      ...(poll && { poll: { ...poll, hide_totals: record.poll?.hideTotals ?? false } }),
    };
    const path = `/api/v1/statuses/${record.id}`;
    const edited = refusal ?? answered(await personal.api<Status>({ method: 'PUT', path, body }));
    if (isProblem(edited)) return showEdit(personal, { ...typed, ...kept }, edited.detail);
    return redirect(`/web/posts/${record.id}#post-${record.id}`, 303);
  },
);

const history = personalPage({ path: '/web/posts/:id/history', params: idParams }, async (personal) => {
  const { api, request } = personal;
  const path = `/api/v1/statuses/${request.params.id}`;
  const [client, status, versions] = await Promise.all([
    clientOf(personal),
    api<Status>({ method: 'GET', path }),
    api<StatusEdit[]>({ method: 'GET', path: `${path}/history` }),
  ]);
  if (status.status !== 200 || versions.status !== 200) return notFound();
  return ownHistoryPage(client, status.body, versions.body);
});

/** Edits of one's own posts, and the versions of all posts. */
export const webEditRoutes: readonly AnyRoute[] = [form, edit, history];
