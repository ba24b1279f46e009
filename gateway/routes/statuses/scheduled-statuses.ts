import { Type } from '@sinclair/typebox';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem, type Problem, problem } from '../../../actors/domain/problem.js';
import type { AccountPost, AccountScheduledItem } from '../../../proto/gen/types.js';
import { mediaRows } from '../../../store/tables.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type Answer, type AnyRoute, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { idParams, pageAnswer } from '../../pages/answers.js';
import { renderMediaList } from '../../pages/status/media.js';
import { ScheduledStatus, scheduledJson } from '../../pages/status/scheduled-status.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { pageBounds, pageQuery } from '../../paging/bounds.js';
import { type Soon, soon, together } from '../../paging/soon.js';
import { askSoon, type ReadServices } from '../../viewing/read-services.js';
import { answered } from '../../viewing/visible.js';

const PATH = '/api/v1/scheduled_statuses';
const READ = 'read:statuses';
const WRITE = 'write:statuses';
const DATE_CHARS_MAX = 100;

const all = route({
  method: 'GET',
  path: PATH,
  auth: 'user',
  scope: READ,
  query: pageQuery(),
  answer: Type.Array(ScheduledStatus),
  handle: (request) => {
    const { services, viewer = '', query } = request;
    const bounds = pageBounds(query);
    return soon(askSoon(services, viewer, 'scheduledPage', bounds), (reply) => {
      const { items, more } = answered(reply);
      const page = { newest: items[0]?.id, oldest: items.at(-1)?.id, more };
      return soon(together(items.map((item) => rendered(services, item))), (shown) =>
        pageAnswer(request, bounds, page, new JsonPieces(arrayOf(shown))),
      );
    });
  },
});

const get = route({
  method: 'GET',
  path: `${PATH}/:id`,
  auth: 'user',
  scope: READ,
  params: idParams,
  answer: ScheduledStatus,
  handle: async ({ services, viewer = '', params }) =>
    answer(services, await services.askAccount(viewer, 'scheduledOne', { id: storedId(params.id) })),
});

const update = route({
  method: 'PUT',
  path: `${PATH}/:id`,
  auth: 'user',
  scope: WRITE,
  params: idParams,
  body: Type.Object({ scheduled_at: Type.Optional(Type.String({ maxLength: DATE_CHARS_MAX })) }),
  answer: ScheduledStatus,
  handle: async ({ services, viewer = '', params, body }) => {
    const id = storedId(params.id);
    const known = await services.askAccount(viewer, 'scheduledOne', { id });
    if (isProblem(known) || body.scheduled_at === undefined) return answer(services, known);
    const dueMs = dateMs(body.scheduled_at);
    if (isProblem(dueMs)) return dueMs;
    return answer(services, await services.askAccount(viewer, 'reschedule', { id, dueMs }));
  },
});

const remove = route({
  method: 'DELETE',
  path: `${PATH}/:id`,
  auth: 'user',
  scope: WRITE,
  params: idParams,
  answer: Type.Object({}),
  handle: async ({ services, viewer = '', params }) => {
    const reply = await services.askAccount(viewer, 'unschedule', { id: storedId(params.id) });
    return isProblem(reply) ? reply : json({});
  },
});

/** Statuses to be posted later; POST /api/v1/statuses creates them. */
export const scheduledStatusRoutes: readonly AnyRoute[] = [all, get, update, remove];

/**
 * Schedules a status for a time in ISO 8601. Returns undefined if the time is past, so that the status is posted now.
 * Source: Mastodon PostStatusService#scheduled_in_the_past?.
 */
export async function schedule(
  services: ReadServices,
  viewer: string,
  post: AccountPost,
  at: string,
  once?: string,
): Promise<Answer<JsonPieces> | Problem | undefined> {
  const dueMs = dateMs(at);
  if (isProblem(dueMs)) return dueMs;
  const isPast = dueMs <= services.clock.nowMs();
  if (isPast && once === undefined) return undefined;
  // A repeat of a request that was scheduled before its time passed gets the first answer.
  const kept = await services.askAccount(viewer, 'schedule', { post, dueMs }, once);
  return isPast && isProblem(kept) ? undefined : answer(services, kept);
}

/** A date and time without a zone is in UTC, whatever the server's zone. */
const ZONELESS = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/;

function dateMs(text: string): number | Problem {
  const ms = Date.parse(ZONELESS.test(text) ? `${text}Z` : text);
  if (Number.isSafeInteger(ms)) return ms;
  const description = 'is not a valid date';
  return problem('invalid', `Validation failed: Scheduled at ${description}`, {
    scheduled_at: [{ error: 'ERR_INVALID', description }],
  });
}

async function answer(
  services: Pick<Services, 'instance' | 'tables'>,
  item: AccountScheduledItem | Problem,
): Promise<Answer<JsonPieces> | Problem> {
  return isProblem(item) ? item : json(new JsonPieces(await rendered(services, item)));
}

function rendered(
  services: Pick<Services, 'instance' | 'tables'>,
  item: AccountScheduledItem,
): Soon<readonly Uint8Array[]> {
  const keys = (item.post?.media?.ids ?? []).map((media) => ({ media }));
  return soon(keys.length === 0 ? [] : services.tables.getMany(mediaRows, keys), (rows) => {
    const media = rows.flatMap((row) => row?.media ?? []);
    return [scheduledJson(item, renderMediaList(services.instance, { media }))];
  });
}
