import type { StoreNotificationRecord } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import type { PageBounds } from '../paging/bounds.js';
import type { Entry } from '../paging/cursor.js';
import { notificationCursor } from '../paging/notification-cursor.js';
import { type Page, readPage } from '../paging/page.js';
import type { Soon } from '../paging/soon.js';
import type { ReadServices } from '../viewing/read-services.js';
import { isAskedFor, type NotificationFilter } from './notification-filter.js';
import { seenNotifications } from './seen-notifications.js';

/**
 * Returns a viewer's notifications as pieces of JSON, newest first. Notifications whose account or status is deleted or
 * hidden are left out.
 */
export function notificationList(
  services: ReadServices & Pick<Services, 'pages'>,
  viewer: string,
  bounds: PageBounds,
  filter: NotificationFilter,
  supportedTypes?: readonly string[],
): Soon<Page<readonly Uint8Array[]>> {
  const cursor = notificationCursor(services, viewer, bounds);
  return readPage(
    cursor,
    bounds,
    (rows) => services.pages.notifications(services, viewer, storedOf(rows), supportedTypes),
    ({ value }) => isAskedFor(value, filter),
  );
}

const storedOf = (rows: readonly Entry<StoreNotificationRecord>[]) =>
  rows.map(({ id, value }) => ({ id, record: value }));

/** Returns the number of notifications above an id, at most `limit`. */
export async function countNotifications(
  services: ReadServices,
  viewer: string,
  aboveId: string | undefined,
  limit: number,
  filter: NotificationFilter,
): Promise<number> {
  const bounds = { before: undefined, after: aboveId, upwards: false, limit };
  const cursor = notificationCursor(services, viewer, bounds);
  const page = await readPage(
    cursor,
    bounds,
    (rows) => seenNotifications(services, viewer, storedOf(rows)),
    ({ value }) => isAskedFor(value, filter),
  );
  return page.items.length;
}
