import { Type } from '@sinclair/typebox';
import { isProblem, type Problem, problem } from '../../../actors/domain/problem.js';
import type { StoreAccountEdge, StoreStatusRecord, StoreStatusRef } from '../../../proto/gen/types.js';
import { bookmarks, favouritedBy, favourites, rebloggedBy } from '../../../store/tables.js';
import type { JsonPieces } from '../../http/json-pieces.js';
import { type Answer, type AnyRoute, json, type Request, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { Account } from '../../pages/account/account.js';
import { accountPage, idParams, statusPage } from '../../pages/answers.js';
import { Status } from '../../pages/status/status.js';
import type { Done } from '../../pages/status/status-pages.js';
import { pageBounds, pageQuery } from '../../paging/bounds.js';
import { type Entry, entriesSoon, PartsCursor } from '../../paging/cursor.js';
import { accountCursor } from '../../paging/eras.js';
import { readPage } from '../../paging/page.js';
import { type Soon, soon } from '../../paging/soon.js';
import { movedRefusal } from '../../posting/moved.js';
import { withoutContent } from '../../viewing/judge.js';
import type { ReadServices } from '../../viewing/read-services.js';
import { loadStatuses, notFound, visibleById, visibleStatus, visibleStatuses } from '../../viewing/visible.js';
import type { VisibleStatus } from '../../viewing/visible-status.js';

/** Result of a command: the status to answer with, and for an undo whether there was anything to undo. */
interface Marked {
  readonly id: string;
  readonly was: boolean;
}
/** Runs a command and returns the status to answer with. A command on a reblog applies to its original. */
type Mark = (
  services: Services,
  viewer: string,
  original: StoreStatusRecord,
  visibility: string | undefined,
) => Promise<Marked | Problem>;

const simple =
  (command: 'favourite' | 'bookmark'): Mark =>
  async (services, viewer, { id, conversationId }) => {
    const reply = await services.askConversation(conversationId, command, { statusId: id, by: viewer });
    return isProblem(reply) ? reply : { id, was: false };
  };
const undo =
  (command: 'unfavourite' | 'unbookmark'): Mark =>
  async (services, viewer, { id, conversationId }) => {
    const reply = await services.askConversation(conversationId, command, { statusId: id, by: viewer });
    return isProblem(reply) ? reply : { id, was: reply.was };
  };
const reblog: Mark = async (services, viewer, { id, conversationId }, visibility) => {
  const refusal = await movedRefusal(services, viewer);
  if (refusal !== undefined) return refusal;
  const reply = await services.askConversation(conversationId, 'reblog', { statusId: id, by: viewer, visibility });
  return isProblem(reply) ? reply : { id: reply.reblogId ?? id, was: false };
};
const unreblog: Mark = async (services, viewer, { id, conversationId }) => {
  const reply = await services.askConversation(conversationId, 'unreblog', { statusId: id, by: viewer });
  return isProblem(reply) ? reply : { id, was: reply.reblogId !== undefined };
};

/** Favourites, bookmarks and reblogs, and lists of them. */
export const statusMarkRoutes: readonly AnyRoute[] = [
  mark('favourite', 'write:favourites', { favourited: true }, simple('favourite')),
  unmark('unfavourite', 'write:favourites', { favourited: false }, undo('unfavourite')),
  mark('bookmark', 'write:bookmarks', { bookmarked: true }, simple('bookmark')),
  unmark('unbookmark', 'write:bookmarks', { bookmarked: false }, undo('unbookmark')),
  mark('reblog', 'write:statuses', { reblogged: true }, reblog),
  unmark('unreblog', 'write:statuses', { reblogged: false }, unreblog),
  markedBy('favourited_by', favouritedBy),
  markedBy('reblogged_by', rebloggedBy),
  markList('/api/v1/favourites', 'read:favourites', favourites),
  markList('/api/v1/bookmarks', 'read:bookmarks', bookmarks),
];

function mark(verb: string, scope: string, done: Done, work: Mark): AnyRoute {
  return route({
    method: 'POST',
    path: `/api/v1/statuses/:id/${verb}`,
    auth: 'user',
    scope,
    params: idParams,
    body: Type.Object({ visibility: Type.Optional(Type.String({ maxLength: 20 })) }),
    answer: Status,
    handle: async ({ services, viewer = '', params, body }) => {
      const seen = await visibleStatus(services, viewer, params.id);
      if (isProblem(seen)) return seen;
      const marked = await work(services, viewer, seen.original ?? seen.record, body.visibility || undefined);
      return isProblem(marked) ? marked : answerMarked(services, viewer, marked.id, done);
    },
  });
}

/**
 * Route that undoes the viewer's own mark, even on a status that the viewer can no longer see. Without a mark, such a
 * status gets a 404.
 */
function unmark(verb: string, scope: string, done: Done, work: Mark): AnyRoute {
  return route({
    method: 'POST',
    path: `/api/v1/statuses/:id/${verb}`,
    auth: 'user',
    scope,
    params: idParams,
    answer: Status,
    handle: async ({ services, viewer = '', params }) => {
      const seen = await visibleStatus(services, viewer, params.id);
      const record = isProblem(seen) ? await unseenOriginal(services, params.id) : (seen.original ?? seen.record);
      if (record === undefined) return notFound();
      const marked = await work(services, viewer, record, undefined);
      if (!isProblem(seen)) return isProblem(marked) ? marked : answerMarked(services, viewer, marked.id, done);
      if (isProblem(marked) || !marked.was) return notFound();
      const status = await services.pages.one(services, viewer, withoutContent(record), done);
      return status === undefined ? notFound() : json(status);
    },
  });
}

async function unseenOriginal(services: Pick<Services, 'tables'>, id: string): Promise<StoreStatusRecord | undefined> {
  const [record] = await loadStatuses(services, [id]);
  const [original] = record?.reblogOfId === undefined ? [record] : await loadStatuses(services, [record.reblogOfId]);
  return original?.deleted === false ? original : undefined;
}

/**
 * Answers with the status and the viewer's new mark, even if the row of the mark, written after the event, does not
 * exist yet.
 */
async function answerMarked(services: ReadServices & Pick<Services, 'pages'>, viewer: string, id: string, done: Done) {
  const records = await loadStatuses(services, [id]);
  // The command has succeeded, but the row does not exist yet; the client's retry finds it.
  if (records[0] === undefined) return problem('unavailable', 'The status is not available yet, please try again');
  const [seen] = await visibleStatuses(services, viewer, records);
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
    answer: Type.Array(Account),
    handle: (request: Request<{ id: string }, Parameters<typeof pageBounds>[0], unknown>) =>
      soon(visibleStatus(request.services, request.viewer, request.params.id), (seen) =>
        isProblem(seen) ? seen : markers(request, table, seen),
      ),
  });
}

function markers(
  request: Request<unknown, Parameters<typeof pageBounds>[0], unknown>,
  table: typeof favouritedBy,
  seen: VisibleStatus,
): Soon<Answer<JsonPieces>> {
  const { services, viewer, query } = request;
  const bounds = pageBounds(query);
  const status = (seen.original ?? seen.record).id;
  const cursor = new PartsCursor([status], bounds, (_, span, limit) =>
    entriesSoon(services.tables, table, { status }, 'mark', span, limit),
  );
  // Only the account itself sees its reblogs for followers only. Source: Mastodon RebloggedByAccountsController.
  const select = (rows: readonly Entry<StoreAccountEdge>[]) =>
    rows.map(({ value }) => (value.hidden === true && value.accountId !== viewer ? undefined : value));
  return soon(readPage(cursor, bounds, select), (page) => accountPage(request, bounds, page));
}

/** Route of the viewer's own marks, newest first, limited to statuses that the viewer may see now. */
function markList(path: string, scope: string, table: typeof favourites): AnyRoute {
  return route({
    method: 'GET',
    path,
    auth: 'user',
    scope,
    query: pageQuery(),
    answer: Type.Array(Status),
    handle: (request) => {
      const { services, viewer = '', query } = request;
      const bounds = pageBounds(query);
      const cursor = accountCursor(services.tables, services.clock, table, 'mark', viewer, bounds);
      const select = (rows: readonly Entry<StoreStatusRef>[]) => {
        const ids = rows.map((row) => row.value.statusId);
        return visibleById(services, viewer, ids);
      };
      return soon(readPage(cursor, bounds, select), (page) => statusPage(request, bounds, page));
    },
  });
}
