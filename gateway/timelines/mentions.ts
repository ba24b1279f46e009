import type { Services } from '../http/services.js';
import { notificationCursor } from '../notifications/notification-cursor.js';
import { isAskedFor } from '../notifications/notification-filter.js';
import type { PageBounds } from '../paging/bounds.js';
import { type Page, readPage } from '../paging/page.js';
import { type Soon, soon } from '../paging/soon.js';
import { relationsOf, type VisibleStatus, visibleById } from '../viewing/visible.js';

const MENTIONS = { types: ['mention'] };
const MENTIONED = { hideBlocked: true, hideMuted: true, context: 'notifications' } as const;

/**
 * Returns statuses that mention the viewer, newest first, from the viewer's notifications. Dismissed notifications are
 * not included.
 */
export function mentionsTimeline(services: Services, viewer: string, bounds: PageBounds): Soon<Page<VisibleStatus>> {
  const cursor = notificationCursor(services, viewer, bounds);
  return soon(relationsOf(services, viewer), (relations) => {
    const options = { ...MENTIONED, relations };
    return readPage(
      cursor,
      bounds,
      (rows) => {
        const ids = rows.map(({ value }) => value.statusId ?? '');
        return visibleById(services, viewer, ids, options);
      },
      ({ value }) => value.statusId !== undefined && isAskedFor(value, MENTIONS),
    );
  });
}
