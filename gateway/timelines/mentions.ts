import { isAskedFor } from '../notifications/notification-filter.js';
import type { PageBounds } from '../paging/bounds.js';
import { notificationCursor } from '../paging/notification-cursor.js';
import { type Page, readPage } from '../paging/page.js';
import { type Soon, soon } from '../paging/soon.js';
import { PLACES } from '../viewing/judge.js';
import type { ReadServices } from '../viewing/read-services.js';
import { lensOf, visibleById } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';

const MENTIONS = { types: ['mention'] };

/**
 * Returns statuses that mention the viewer, newest first, from the viewer's notifications. Dismissed notifications are
 * not included.
 */
export function mentionsTimeline(
  services: ReadServices,
  viewer: string,
  bounds: PageBounds,
): Soon<Page<VisibleStatus>> {
  const cursor = notificationCursor(services, viewer, bounds);
  return soon(lensOf(services, viewer), (lens) =>
    readPage(
      cursor,
      bounds,
      (rows) => {
        const ids = rows.map(({ value }) => value.statusId ?? '');
        return visibleById(services, viewer, ids, PLACES.mention, lens);
      },
      ({ value }) => value.statusId !== undefined && isAskedFor(value, MENTIONS),
    ),
  );
}
