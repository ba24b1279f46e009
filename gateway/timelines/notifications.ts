import { notifications } from '../../store/tables.js';
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

/** A viewer's notifications as pieces of JSON, newest first, without those whose account or status is gone or hidden. */
export async function notificationList(
  services: Services,
  viewer: string,
  bounds: PageBounds,
  filter: NotificationFilter,
): Promise<Page<readonly Uint8Array[]>> {
  const cursor = accountCursor(services.tables, services.clock, notifications, 'notification', viewer, bounds);
  return readPage(cursor, bounds, async (rows) => {
    const wanted = rows.filter(
      ({ value }) =>
        filter.types?.includes(value.type) !== false &&
        filter.excludeTypes?.includes(value.type) !== true &&
        (filter.from === undefined || filter.from === value.from),
    );
    const rendered = await services.pages.notifications(
      services,
      viewer,
      wanted.map(({ id, value }) => ({ id, record: value })),
    );
    if (wanted.length === rows.length) return rendered;
    const byRow = new Map(wanted.map((row, index) => [row, rendered[index]]));
    return rows.map((row) => byRow.get(row));
  });
}
