import { Type } from '@sinclair/typebox';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import type { ConversationThread, StoreStatusRecord } from '../../../proto/gen/types.js';
import { accounts } from '../../../store/tables.js';
import { entity } from '../../http/entity.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type Answer, type AnyRoute, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { idParams } from '../../pages/answers.js';
import { PreviewCard, renderPreviewCard } from '../../pages/status/preview-card.js';
import { Status } from '../../pages/status/status.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { idText } from '../../paging/bounds.js';
import { type Soon, soon } from '../../paging/soon.js';
import { withGrafts } from '../../viewing/grafts.js';
import { PLACES } from '../../viewing/judge.js';
import type { ReadServices } from '../../viewing/read-services.js';
import { notFound, visibleById, visibleStatus } from '../../viewing/visible.js';
import type { VisibleStatus } from '../../viewing/visible-status.js';
import { postStatus } from './post.js';

/** The REST API's Context. */
const Context = entity('Context', {
  ancestors: Type.Array(Status),
  descendants: Type.Array(Status),
});

/** Statuses in one request: bounds one read of the store. */
const STATUSES_ASKED_MAX = 100;

const READ = 'read:statuses';

const getStatus = route({
  method: 'GET',
  path: '/api/v1/statuses/:id',
  auth: 'optional',
  scope: READ,
  params: idParams,
  answer: Status,
  handle: ({ services, viewer, params }) =>
    soon(visibleStatus(services, viewer, params.id), (seen) =>
      isProblem(seen) ? seen : answer(services, viewer, seen),
    ),
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
  answer: Type.Array(Status),
  handle: ({ services, viewer, query }) =>
    soon(visibleById(services, viewer, [...new Set(query.id.map(storedId))]), (seen) =>
      soon(services.pages.list(services, viewer, seen), (list) => json(list)),
    ),
});

/**
 * Renders a thread. The specification sets no limit here, not even for anonymous viewers: the conversation's own limit
 * is the only one.
 */
function contextAnswer(
  services: ReadServices & Pick<Services, 'pages' | 'federation'>,
  viewer: string | undefined,
  { thread, root }: { readonly thread: ConversationThread; readonly root: StoreStatusRecord },
): Soon<Answer<JsonPieces>> {
  const { ancestors, descendants } = thread;
  return soon(visibleById(services, viewer, [...ancestors, ...descendants], PLACES.thread), (all) =>
    soon(services.pages.pieces(services, viewer, all), (shown) => {
      const [above, below] = [arrayOf(shown.slice(0, ancestors.length)), arrayOf(shown.slice(ancestors.length))];
      const body = new JsonPieces([ANCESTORS, ...above, DESCENDANTS, ...below, END]);
      const records = all.flatMap((seen) => (seen === undefined ? [] : [seen.record]));
      return json(body, refreshing(services, viewer, [root, ...records]));
    }),
  );
}

/** Seconds after which a client asks whether a search has ended. */
const ASK_AGAIN_S = 3;

/**
 * Has answers fetched that the servers of these statuses know, for signed-in readers only. Returns the header that names
 * the search while it runs.
 */
function refreshing(
  services: Pick<Services, 'federation'>,
  viewer: string | undefined,
  records: readonly [StoreStatusRecord, ...StoreStatusRecord[]],
): Readonly<Record<string, string>> | undefined {
  const remote = viewer === undefined ? [] : records.filter(({ domain }) => domain !== undefined);
  if (remote.length === 0) return undefined;
  const refresh = services.federation.threads.refresh(records[0].conversationId, remote);
  if (refresh === undefined) return undefined;
  const { id, found = 0 } = refresh;
  return { 'mastodon-async-refresh': `id="${id}", retry=${ASK_AGAIN_S}, result_count=${found}` };
}

const deleteStatus = route({
  method: 'DELETE',
  path: '/api/v1/statuses/:id',
  auth: 'user',
  scope: 'write:statuses',
  params: idParams,
  query: Type.Object({ delete_media: Type.Optional(Type.Boolean()) }),
  answer: Status,
  handle: async ({ services, viewer = '', params, query }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    if (isProblem(seen)) return seen;
    if (seen.record.accountId !== viewer) return notFound();
    const status = await services.pages.entity(services, viewer, seen);
    const { original, record } = seen;
    const reply =
      original === undefined
        ? await services.askConversation(record.conversationId, 'remove', {
            statusId: record.id,
            by: viewer,
            discardMedia: query.delete_media,
          })
        : await services.askConversation(original.conversationId, 'unreblog', { statusId: original.id, by: viewer });
    return isProblem(reply) ? reply : json({ ...(status && counted(status)), text: record.text });
  },
});

/**
 * Subtracts the deleted status from its author's count. The author's actor is notified after the reply, and clients
 * show the number in the answer.
 */
function counted({ account, ...status }: Status): Status {
  if (status.visibility === 'direct') return { ...status, account };
  return { ...status, account: { ...account, statuses_count: Math.max(0, account.statuses_count - 1) } };
}

const context = route({
  method: 'GET',
  path: '/api/v1/statuses/:id/context',
  auth: 'optional',
  scope: READ,
  params: idParams,
  answer: Context,
  handle: async ({ services, viewer, params }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    if (isProblem(seen)) return seen;
    const root = seen.original ?? seen.record;
    const thread = await services.askConversation(root.conversationId, 'context', { statusId: root.id });
    if (isProblem(thread)) return thread;
    return contextAnswer(services, viewer, { thread: await withGrafts(services, root, thread), root });
  },
});

/** Preview card of a status. Since version 2.6 of the API the status contains it, too. */
const card = route({
  method: 'GET',
  path: '/api/v1/statuses/:id/card',
  auth: 'optional',
  scope: READ,
  params: idParams,
  answer: PreviewCard,
  handle: async ({ services, viewer, params }) => {
    const seen = await visibleStatus(services, viewer, params.id);
    if (isProblem(seen)) return seen;
    const shown = (seen.original ?? seen.record).card;
    if (shown === undefined) return notFound();
    const creator = shown.authorId && (await services.tables.get(accounts, { account: shown.authorId }));
    return json(renderPreviewCard(services.instance, shown, creator || undefined));
  },
});

/** Statuses and threads. */
export const statusRoutes: readonly AnyRoute[] = [postStatus, getStatus, getStatuses, deleteStatus, context, card];

function answer(
  services: ReadServices & Pick<Services, 'pages'>,
  viewer: string | undefined,
  seen: VisibleStatus,
): Soon<Answer<JsonPieces> | Problem> {
  return soon(services.pages.one(services, viewer, seen), (status) =>
    status === undefined ? notFound() : json(status),
  );
}
