import { notifications } from '../../store/tables.js';
import { type Notification, renderNotifications } from '../entities/notification.js';
import type { PageBounds } from '../http/paging.js';
import type { Services } from '../services.js';
import { accountCursor } from './eras.js';
import { type Page, readPage } from './page.js';

/** Which notifications are wanted. */
export interface NotificationFilter {
  /** Undefined: all. */
  readonly types?: readonly string[] | undefined;
  readonly excludeTypes?: readonly string[] | undefined;
  readonly from?: string | undefined;
}

/** A viewer's notifications, newest first, without those whose account or status is gone or hidden. */
export async function notificationList(
  services: Services,
  viewer: string,
  bounds: PageBounds,
  filter: NotificationFilter,
): Promise<Page<Notification>> {
  const cursor = accountCursor(services.tables, services.clock, notifications, 'notification', viewer, bounds);
  return readPage(cursor, bounds, async (rows) => {
    const wanted = rows.filter(
      ({ value }) =>
        filter.types?.includes(value.type) !== false &&
        filter.excludeTypes?.includes(value.type) !== true &&
        (filter.from === undefined || filter.from === value.from),
    );
    const rendered = await renderNotifications(
      services,
      viewer,
      wanted.map(({ id, value }) => ({ id, record: value })),
    );
    const byId = new Map(rendered.flatMap((item) => (item === undefined ? [] : [[item.id, item]])));
    return rows.map((row) => byId.get(row.id));
  });
}
