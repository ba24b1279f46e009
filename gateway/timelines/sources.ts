import { idMs } from '../../actors/domain/ids.js';
import { isProblem } from '../../actors/domain/problem.js';
import type { StoreStatusRecord } from '../../proto/gen/types.js';
import { statuses } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import { statusStored } from '../notifications/late-rows.js';
import { conversationPieces } from '../pages/status/conversation.js';
import type { PageBounds } from '../paging/bounds.js';
import { notificationCursor } from '../paging/notification-cursor.js';
import type { Page } from '../paging/page.js';
import { type Soon, soon } from '../paging/soon.js';
import type { StreamSources } from '../streaming/sources.js';
import { PLACES } from '../viewing/judge.js';
import { anonymousLens } from '../viewing/lens.js';
import type { ReadServices } from '../viewing/read-services.js';
import { judgedStatus, visibleStatuses } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';
import { homeTimeline } from './home.js';
import { listTimeline } from './list.js';
import { publicTimeline } from './public.js';
import { StatusChanges } from './status-changes.js';
import { tagTimeline } from './tag.js';

const NONE_KNOWN = { received: 0, has: () => undefined, isLate: () => false, lateSince: () => [] };

/** Builds the readers and renderers of streams from the functions that routes use. */
export function streamSources(
  services: ReadServices & Pick<Services, 'pages'>,
  publications: StreamSources['publications'] = NONE_KNOWN,
): StreamSources {
  const changes = new StatusChanges(services.tables, services.idClock);
  return {
    renderStatus: (record) => renderForStreams(services, record),
    renderFor: (marksOf, record, lens, at) =>
      soon(visibleStatuses(services, undefined, [record], at, lens), (seen) =>
        soon(services.pages.seenBy(services, marksOf, seen, lens), ([pieces]) => pieces),
      ),
    renderNotification: (viewer, id, record) =>
      soon(statusStored(services, record.statusId, record.atMs), () =>
        soon(services.pages.notifications(services, viewer, [{ id, record }]), ([pieces]) => pieces),
      ),
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
    renderConversation(viewer, direct) {
      const last = direct.statusIds.at(-1) ?? '';
      return soon(statusStored(services, last, idMs(last)), () =>
        soon(conversationPieces(services, viewer, [direct]), ([found]) => found),
      );
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
    publications,
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
function renderForStreams(
  services: ReadServices & Pick<Services, 'pages'>,
  record: StoreStatusRecord,
): Soon<readonly Uint8Array[] | undefined> {
  return soon(judgedStatus(services, anonymousLens(services.limits), record, PLACES.broadcast), (seen) =>
    soon(services.pages.pieces(services, undefined, [seen]), ([pieces]) => pieces),
  );
}

function above(sinceId: string, limit: number): PageBounds {
  return { before: undefined, after: sinceId, upwards: true, limit };
}

function oldestFirst({ items }: Page<VisibleStatus>): StoreStatusRecord[] {
  return items.map((status) => status.record).reverse();
}
