import { Type } from '@sinclair/typebox';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import { idParams, pageAnswer, statusPage } from '../../pages/answers.js';
import { Conversation, conversationPieces } from '../../pages/status/conversation.js';
import { Status } from '../../pages/status/status.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { pageBounds, pageQuery } from '../../paging/bounds.js';
import { soon } from '../../paging/soon.js';
import { directTimeline } from '../../timelines/direct.js';
import { askSoon } from '../../viewing/read-services.js';
import { answered, notFound } from '../../viewing/visible.js';

const list = route({
  method: 'GET',
  path: '/api/v1/conversations',
  auth: 'user',
  scope: 'read:statuses',
  query: pageQuery(),
  answer: Type.Array(Conversation),
  handle: (request) => {
    const { services, viewer = '', query } = request;
    const bounds = pageBounds(query);
    return soon(askSoon(services, viewer, 'directs', bounds), (reply) => {
      const { directs, more } = answered(reply);
      const page = { newest: directs[0]?.statusIds.at(-1), oldest: directs.at(-1)?.statusIds.at(-1), more };
      return soon(conversationPieces(services, viewer, directs), (found) =>
        pageAnswer(request, bounds, page, new JsonPieces(arrayOf(found.map((one) => one?.pieces)))),
      );
    });
  },
});

const marking = (verb: string, command: 'readDirect' | 'unreadDirect') =>
  route({
    method: 'POST',
    path: `/api/v1/conversations/:id/${verb}`,
    auth: 'user',
    scope: 'write:conversations',
    params: idParams,
    answer: Conversation,
    handle: async ({ services, viewer = '', params }) => {
      const direct = await services.askAccount(viewer, command, { id: storedId(params.id) });
      if (isProblem(direct)) return direct;
      const [rendered] = await conversationPieces(services, viewer, [direct]);
      return rendered === undefined ? notFound() : json(new JsonPieces(rendered.pieces));
    },
  });

const remove = route({
  method: 'DELETE',
  path: '/api/v1/conversations/:id',
  auth: 'user',
  scope: 'write:conversations',
  params: idParams,
  answer: Type.Object({}),
  handle: async ({ services, viewer = '', params }) => {
    const reply = await services.askAccount(viewer, 'deleteDirect', { id: storedId(params.id) });
    return isProblem(reply) ? reply : json({});
  },
});

/** Timeline of direct statuses for clients before 2.6. */
const timeline = route({
  method: 'GET',
  path: '/api/v1/timelines/direct',
  auth: 'user',
  scope: 'read:statuses',
  query: pageQuery(),
  answer: Type.Array(Status),
  handle: (request) => {
    const bounds = pageBounds(request.query);
    return soon(directTimeline(request.services, request.viewer ?? '', bounds), (page) =>
      statusPage(request, bounds, page),
    );
  },
});

/** Conversations of direct statuses. */
export const conversationRoutes: readonly AnyRoute[] = [
  list,
  marking('read', 'readDirect'),
  marking('unread', 'unreadDirect'),
  remove,
  timeline,
];
