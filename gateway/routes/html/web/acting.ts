import { Type } from '@sinclair/typebox';
import { type Problem, problem } from '../../../../actors/domain/problem.js';
import type { ApiAnswer } from '../../../http/api-call.js';
import { type Answer, type AnyRoute, redirect } from '../../../http/route.js';
import { idParams } from '../../../pages/answers.js';
import { idText } from '../../../paging/bounds.js';
import { personalForm } from '../personal.js';
import { compose } from './composing.js';
import { home, notifications, thread } from './reading.js';

const LINE_CHARS_MAX = 2_000;

/** Path of a page of the client to which a button leads back. */
const back = () => Type.String({ default: '/web', maxLength: LINE_CHARS_MAX });
const BACK = /^\/web(?:[/?#][\x21-\x7e]*)?$/;

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
    page: thread,
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

const markRead = personalForm(
  { path: '/web/notifications/read', page: notifications, body: { last: idText() } },
  async ({ api, request }) => {
    const body = { notifications: { last_read_id: request.body.last } };
    return done(await api({ method: 'POST', path: '/api/v1/markers', body }), '/web/notifications');
  },
);

const dismiss = personalForm(
  { path: '/web/announcements/:id/dismiss', page: home, params: idParams, body: {} },
  async ({ api, request }) => {
    const path = `/api/v1/announcements/${request.params.id}/dismiss`;
    return done(await api({ method: 'POST', path }), '/web');
  },
);

/** Forms of the built-in client. */
export const webFormRoutes: readonly AnyRoute[] = [compose, mark, connect, answerRequest, markRead, dismiss];
