import { Type } from '@sinclair/typebox';
import { isProblem, type Problem, problem } from '../../../actors/domain/problem.js';
import { FILES, POLL_OPTIONS } from '../../html/web/compose.js';
import type { ApiAnswer } from '../../http/api-call.js';
import { type Answer, type AnyRoute, redirect, type Uploaded, uploaded } from '../../http/route.js';
import type { MediaAttachment } from '../../pages/status/media.js';
import type { Status } from '../../pages/status/status.js';
import { idText } from '../../paging/bounds.js';
import { type Personal, personalForm } from '../html/personal.js';
import { UPLOAD_BYTES_MAX } from '../media/media.js';
import { showHome, showThread } from './reading.js';

type Own = Personal<unknown, unknown, unknown>;

const TEXT_CHARS_MAX = 50_000;
const LINE_CHARS_MAX = 2_000;
const text = (maxLength = LINE_CHARS_MAX) => Type.Optional(Type.String({ maxLength }));

/** Path of a page of the client to which a button leads back. */
const back = () => Type.String({ default: '/web', maxLength: LINE_CHARS_MAX });
const BACK = /^\/web(?:[/?#][\x21-\x7e]*)?$/;

const fileFields = Object.fromEntries(
  FILES.flatMap((number) => [
    [`file${number}`, Type.Optional(uploaded())],
    [`description${number}`, text()],
  ]),
);
const optionFields = Object.fromEntries(POLL_OPTIONS.map((number) => [`option${number}`, text()]));

/** Fields of the form, as far as it was filled in. */
type Filled = Readonly<Record<string, string | undefined>> & Readonly<Record<`file${number}`, Uploaded | undefined>>;

/** Longest wait for files that are being processed, and the pause between two looks. */
const PROCESSED_MS_MAX = 20_000;
const LOOK_MS = 250;

const compose = personalForm(
  {
    path: '/web/compose',
    body: {
      status: text(TEXT_CHARS_MAX),
      spoiler_text: text(TEXT_CHARS_MAX),
      visibility: text(),
      in_reply_to_id: Type.Optional(idText()),
      expires_in: text(),
      multiple: Type.Optional(Type.Boolean()),
      ...fileFields,
      ...optionFields,
    },
    multipartBytesMax: UPLOAD_BYTES_MAX,
  },
  async (personal) => {
    const typed = personal.request.body as unknown as Filled & { readonly multiple?: boolean };
    const media = await mediaOf(personal, typed);
    const posted = isProblem(media) ? media : await post(personal, typed, media);
    if (!isProblem(posted)) {
      const isReply = typed.in_reply_to_id !== undefined;
      return redirect(isReply ? `/web/posts/${posted.id}#post-${posted.id}` : `/web#post-${posted.id}`, 303);
    }
    const { status = '', spoiler_text = '', visibility = 'public', in_reply_to_id: answered } = typed;
    const again = { status, spoiler_text, visibility, fault: posted.detail };
    return answered === undefined ? showHome(personal, again) : showThread(personal, answered, again);
  },
);

async function post({ api }: Own, typed: Filled & { readonly multiple?: boolean }, media: readonly string[]) {
  const options = POLL_OPTIONS.map((number) => typed[`option${number}`]?.trim() ?? '').filter((one) => one !== '');
  const { status, spoiler_text, visibility, in_reply_to_id, expires_in, multiple = false } = typed;
  const poll = options.length === 0 ? undefined : { options, expires_in: Number(expires_in) || 0, multiple };
  const body = { status, spoiler_text, visibility, in_reply_to_id, media_ids: media, ...(poll && { poll }) };
  return answered(await api<Status>({ method: 'POST', path: '/api/v1/statuses', body: without(body) }));
}

/** Uploads the files of the form, and waits until they are ready. Browsers send an empty file for an empty field. */
async function mediaOf(personal: Own, typed: Filled): Promise<readonly string[] | Problem> {
  const ids: string[] = [];
  for (const number of FILES) {
    const file = typed[`file${number}`];
    if (file === undefined || file.bytes.length === 0) continue;
    const body = without({ file, description: typed[`description${number}`] });
    const media = answered(await personal.api<MediaAttachment>({ method: 'POST', path: '/api/v2/media', body }));
    if (isProblem(media)) return media;
    ids.push(media.id);
  }
  const { clock } = personal.request.services;
  const untilMs = clock.monotonicMs() + PROCESSED_MS_MAX;
  for (const id of ids) {
    while ((await personal.api({ method: 'GET', path: `/api/v1/media/${id}` })).status === 206) {
      if (clock.monotonicMs() > untilMs) return problem('unavailable', 'The files are not processed yet');
      await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
    }
  }
  return ids;
}

/** Returns the body of an answer, or the refusal as a problem. */
function answered<T>({ status, body }: ApiAnswer<T>): T | Problem {
  if (status < 400) return body;
  return problem(status === 503 ? 'unavailable' : 'invalid', (body as { readonly error?: string }).error ?? '');
}

const without = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''));

/** Returns to the page with the button, or answers with the refusal. */
function done({ status, body }: ApiAnswer<{ readonly error?: string }>, to: string): Answer | Problem {
  if (status < 400) return redirect(BACK.test(to) ? to : '/web', 303);
  return problem(status === 404 ? 'not_found' : status === 503 ? 'unavailable' : 'invalid', body.error ?? '');
}

const words = (...all: readonly string[]) => Type.Union(all.map((word) => Type.Literal(word)));

const MARKS = ['favourite', 'unfavourite', 'reblog', 'unreblog', 'bookmark', 'unbookmark'];

const mark = personalForm(
  {
    path: '/web/posts/:id/:verb',
    params: Type.Object({ id: idText(), verb: words(...MARKS, 'delete', 'vote') }),
    body: {
      back: back(),
      choices: Type.Optional(Type.Array(Type.Integer({ minimum: 0, maximum: 100 }), { maxItems: 100 })),
    },
  },
  async ({ api, request }) => {
    const { id, verb } = request.params as { readonly id: string; readonly verb: string };
    const { back: to, choices = [] } = request.body as { readonly back: string; readonly choices?: readonly number[] };
    const path = `/api/v1/statuses/${id}`;
    if (verb === 'delete') {
      const isOwnPage = to.startsWith(`/web/posts/${id}`);
      return done(await api({ method: 'DELETE', path }), isOwnPage ? '/web' : to);
    }
    if (verb === 'vote')
      return done(await api({ method: 'POST', path: `/api/v1/polls/${id}/votes`, body: { choices } }), to);
    return done(await api({ method: 'POST', path: `${path}/${verb}` }), to);
  },
);

const connect = personalForm(
  {
    path: '/web/people/:id/:verb',
    params: Type.Object({ id: idText(), verb: words('follow', 'unfollow', 'mute', 'unmute', 'block', 'unblock') }),
    body: {},
  },
  async ({ api, request }) => {
    const { id, verb } = request.params as { readonly id: string; readonly verb: string };
    return done(await api({ method: 'POST', path: `/api/v1/accounts/${id}/${verb}` }), `/web/people/${id}`);
  },
);

const answerRequest = personalForm(
  {
    path: '/web/requests/:id/:verb',
    params: Type.Object({ id: idText(), verb: words('authorize', 'reject') }),
    body: {},
  },
  async ({ api, request }) => {
    const { id, verb } = request.params as { readonly id: string; readonly verb: string };
    return done(await api({ method: 'POST', path: `/api/v1/follow_requests/${id}/${verb}` }), '/web/notifications');
  },
);

/** Forms of the built-in client. */
export const webFormRoutes: readonly AnyRoute[] = [compose, mark, connect, answerRequest];
