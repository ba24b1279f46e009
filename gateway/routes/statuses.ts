import { Type } from '@sinclair/typebox';
import { isProblem, type Problem, problem } from '../../actors/domain/problem.js';
import { favouritedBy, rebloggedBy } from '../../store/tables.js';
import { JsonPieces } from '../cards/json-pieces.js';
import { arrayOf } from '../cards/status-pages.js';
import { renderStatuses } from '../entities/status.js';
import { idText, pageBounds, pageQuery } from '../http/paging.js';
import { type AnyRoute, json, type Request, route } from '../http/route.js';
import type { Services } from '../services.js';
import { PartsCursor } from '../timelines/cursor.js';
import { rangeOf } from '../timelines/eras.js';
import { readPage } from '../timelines/page.js';
import { loadStatuses, notFound, type VisibleStatus, visibleById, visibleStatus, visibleStatuses } from '../visible.js';
import { accountPage, idParams, storedId } from './lists.js';
import { postStatus } from './post.js';

/** Bounds one question to the store. */
const STATUSES_ASKED_MAX = 100;
/** What anonymous readers get of a thread, up and down. Source: Mastodon's ContextController. */
const ANONYMOUS_ANCESTORS_MAX = 40;
const ANONYMOUS_DESCENDANTS_MAX = 60;

const READ = 'read:statuses';

const getStatus = route({
  method: 'GET',
  path: '/api/v1/statuses/:id',
  auth: 'optional',
  scope: READ,
  params: idParams,
  handle: async ({ services, viewer, params }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    return isProblem(seen) ? seen : answer(services, viewer, seen);
  },
});

const ANCESTORS = Buffer.from('{"ancestors":');
const DESCENDANTS = Buffer.from(',"descendants":');
const END = Buffer.from('}');

const getStatuses = route({
  method: 'GET',
  path: '/api/v1/statuses',
  auth: 'optional',
  scope: READ,
  query: Type.Object({ id: Type.Array(idText(), { default: [], maxItems: STATUSES_ASKED_MAX }) }),
  handle: async ({ services, viewer, query }) => {
    const seen = await visibleById(services, viewer, [...new Set(query.id.map(storedId))]);
    return json(await services.pages.list(services, viewer, seen));
  },
});

const deleteStatus = route({
  method: 'DELETE',
  path: '/api/v1/statuses/:id',
  auth: 'user',
  scope: 'write:statuses',
  params: idParams,
  query: Type.Object({ delete_media: Type.Optional(Type.Boolean()) }),
  handle: async ({ services, viewer = '', params }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    if (isProblem(seen)) return seen;
    if (seen.record.accountId !== viewer) return notFound();
    const [status] = await renderStatuses(services, viewer, [seen]);
    const { original, record } = seen;
    const reply =
      original === undefined
        ? await services.askConversation(record.conversationId, 'remove', { statusId: record.id, by: viewer })
        : await services.askConversation(original.conversationId, 'unreblog', { statusId: original.id, by: viewer });
    return isProblem(reply) ? reply : json({ ...status, text: record.text });
  },
});

const context = route({
  method: 'GET',
  path: '/api/v1/statuses/:id/context',
  auth: 'optional',
  scope: READ,
  params: idParams,
  handle: async ({ services, viewer, params }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    if (isProblem(seen)) return seen;
    const { id, conversationId } = seen.original ?? seen.record;
    const thread = await services.askConversation(conversationId, 'context', { statusId: id });
    if (isProblem(thread)) return thread;
    const ancestors = viewer === undefined ? thread.ancestors.slice(-ANONYMOUS_ANCESTORS_MAX) : thread.ancestors;
    const descendants =
      viewer === undefined ? thread.descendants.slice(0, ANONYMOUS_DESCENDANTS_MAX) : thread.descendants;
    const all = await visibleById(services, viewer, [...ancestors, ...descendants], {
      hideBlocked: true,
      hideMuted: true,
    });
    const shown = await services.pages.pieces(services, viewer, all);
    const [above, below] = [arrayOf(shown.slice(0, ancestors.length)), arrayOf(shown.slice(ancestors.length))];
    return json(new JsonPieces([ANCESTORS, ...above, DESCENDANTS, ...below, END]));
  },
});

const favourite = mark('favourite', 'write:favourites', async (services, viewer, { id, conversationId }) => {
  const reply = await services.askConversation(conversationId, 'favourite', { statusId: id, by: viewer });
  return isProblem(reply) ? reply : id;
});
const unfavourite = mark('unfavourite', 'write:favourites', async (services, viewer, { id, conversationId }) => {
  const reply = await services.askConversation(conversationId, 'unfavourite', { statusId: id, by: viewer });
  return isProblem(reply) ? reply : id;
});
const reblog = mark('reblog', 'write:statuses', async (services, viewer, { id, conversationId }, visibility) => {
  const reply = await services.askConversation(conversationId, 'reblog', { statusId: id, by: viewer, visibility });
  return isProblem(reply) ? reply : (reply.reblogId ?? id);
});
const unreblog = mark('unreblog', 'write:statuses', async (services, viewer, { id, conversationId }) => {
  const reply = await services.askConversation(conversationId, 'unreblog', { statusId: id, by: viewer });
  return isProblem(reply) ? reply : id;
});

/** Statuses, threads, and what people do to them. */
export const statusRoutes: readonly AnyRoute[] = [
  postStatus,
  getStatus,
  getStatuses,
  deleteStatus,
  context,
  favourite,
  unfavourite,
  reblog,
  unreblog,
  markedBy('favourited_by', favouritedBy),
  markedBy('reblogged_by', rebloggedBy),
];

/** Does it and says which status to answer with. */
type Mark = (
  services: Services,
  viewer: string,
  status: VisibleStatus['record'],
  visibility: string | undefined,
) => Promise<string | Problem>;

/** What is done to a reblog is done to its original. */
function mark(verb: string, scope: string, work: Mark): AnyRoute {
  return route({
    method: 'POST',
    path: `/api/v1/statuses/:id/${verb}`,
    auth: 'user',
    scope,
    params: idParams,
    body: Type.Object({ visibility: Type.Optional(Type.String({ maxLength: 20 })) }),
    handle: async ({ services, viewer = '', params, body }) => {
      const seen = await visibleStatus(services, viewer, params.id);
      if (isProblem(seen)) return seen;
      const shown = await work(services, viewer, seen.original ?? seen.record, body.visibility || undefined);
      return isProblem(shown) ? shown : answerMarked(services, viewer, shown, verb);
    },
  });
}

/** The viewer's own mark is shown as it now is, even when its row, written behind the event, is late. */
async function answerMarked(services: Services, viewer: string, id: string, verb: string) {
  const records = await loadStatuses(services, [id]);
  // Done, but its row is late: the client's retry finds it.
  if (records[0] === undefined) return problem('unavailable', 'The status is on its way, please try again');
  const [seen] = await visibleStatuses(services, viewer, records);
  const isDone = !verb.startsWith('un');
  const done = verb.endsWith('favourite') ? { favourited: isDone } : { reblogged: isDone };
  const status = await services.pages.one(services, viewer, seen, done);
  return status === undefined ? notFound() : json(status);
}

function markedBy(name: string, table: typeof favouritedBy): AnyRoute {
  return route({
    method: 'GET',
    path: `/api/v1/statuses/:id/${name}`,
    auth: 'optional',
    scope: ['read:statuses', 'read:accounts'],
    params: idParams,
    query: pageQuery(40, 80),
    handle: async (request: Request<{ id: string }, Parameters<typeof pageBounds>[0], unknown>) => {
      const { services, viewer, params, query } = request;
      const seen = await visibleStatus(services, viewer, params.id);
      if (isProblem(seen)) return seen;
      const bounds = pageBounds(query);
      const status = (seen.original ?? seen.record).id;
      const cursor = new PartsCursor([status], bounds, async (_, span, limit) => {
        const rows = await services.tables.range(table, { status }, { ...rangeOf('mark', span), limit });
        return rows.map(({ key, value }) => ({ id: key.mark, value }));
      });
      return accountPage(request, bounds, await readPage(cursor, bounds, async (rows) => rows.map((row) => row.value)));
    },
  });
}

async function answer(services: Services, viewer: string | undefined, seen: VisibleStatus) {
  const status = await services.pages.one(services, viewer, seen);
  return status === undefined ? notFound() : json(status);
}
