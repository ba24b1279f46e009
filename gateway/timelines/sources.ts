import { isProblem } from '../../actors/domain/problem.js';
import type { StoreStatusRecord } from '../../proto/gen/types.js';
import { statuses } from '../../store/tables.js';
import { renderNotifications } from '../entities/notification/notification.js';
import { renderConversations } from '../entities/status/conversation.js';
import { renderStatuses } from '../entities/status/status.js';
import type { Services } from '../http/services.js';
import { notificationCursor } from '../notifications/notification-cursor.js';
import type { PageBounds } from '../paging/bounds.js';
import type { Page } from '../paging/page.js';
import type { StreamSources } from '../streaming/sources.js';
import { PLACES } from '../viewing/judge.js';
import { anonymousLens } from '../viewing/lens.js';
import { judgedStatus, visibleStatuses } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';
import { homeTimeline } from './home.js';
import { listTimeline } from './list.js';
import { publicTimeline } from './public.js';
import { StatusChanges } from './status-changes.js';
import { streamMarks } from './stream-marks.js';
import { tagTimeline } from './tag.js';

/** Builds the readers and renderers of streams from the functions that routes use. */
export function streamSources(services: Services): StreamSources {
  const changes = new StatusChanges(services.tables, services.clock);
  return {
    async renderStatus(record) {
      return renderForStreams(services, record);
    },
    async renderFor(viewer, record, isMarked, at) {
      const [seen] = await visibleStatuses(services, viewer, [record], at);
      return (await renderStatuses(services, isMarked ? viewer : undefined, [seen]))[0];
    },
    async marksOf(viewer, record, isMuted) {
      return streamMarks(services, viewer, record, isMuted);
    },
    async renderNotification(viewer, id, record) {
      return (await renderNotifications(services, viewer, [{ id, record }]))[0];
    },
    async homeSince(viewer, sinceId, limit) {
      return oldestFirst(await homeTimeline(services, viewer, above(sinceId, limit)));
    },
    async listSince(viewer, listId, sinceId, limit) {
      const page = await listTimeline(services, viewer, listId, above(sinceId, limit));
      return isProblem(page) ? [] : oldestFirst(page);
    },
    async tagSince(viewer, wish, sinceId, limit) {
      return oldestFirst(await tagTimeline(services, viewer, wish, above(sinceId, limit)));
    },
    async publicSince(viewer, sinceId, limit) {
      return oldestFirst(await publicTimeline(services, viewer, above(sinceId, limit)));
    },
    async renderConversation(viewer, direct) {
      const [entity] = await renderConversations(services, viewer, [direct]);
      return entity?.last_status ? { id: entity.last_status.id, entity } : undefined;
    },
    async conversationsSince(viewer, sinceId, limit) {
      const found = await services.askAccount(viewer, 'directs', above(sinceId, limit));
      return isProblem(found) ? [] : found.directs.toReversed();
    },
    async nowOf(ids) {
      const records = await services.tables.getMany(
        statuses,
        ids.map((status) => ({ status })),
      );
      return records.map((record) => (record?.deleted === false ? record : undefined));
    },
    changesSince: (sinceMs) => changes.since(sinceMs),
    async notificationsSince(viewer, sinceId, limit) {
      const bounds = above(sinceId, limit);
      const cursor = notificationCursor(services, viewer, bounds);
      return (await cursor.next(limit)).map(({ id, value }) => ({ id, record: value }));
    },
  };
}

/**
 * Renders a status for all subscribers. The judge decides for each of them afterwards. Quotes are left out, because
 * they look different to each subscriber.
 */
async function renderForStreams(services: Services, record: StoreStatusRecord) {
  const seen = await judgedStatus(services, anonymousLens(services.limits), record, PLACES.broadcast);
  return (await renderStatuses(services, undefined, [seen]))[0];
}

function above(sinceId: string, limit: number): PageBounds {
  return { before: undefined, after: sinceId, upwards: true, limit };
}

function oldestFirst({ items }: Page<VisibleStatus>): StoreStatusRecord[] {
  return items.map((status) => status.record).reverse();
}
