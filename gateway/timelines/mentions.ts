import { notifications } from '../../store/tables.js';
import type { PageBounds } from '../http/paging.js';
import type { Services } from '../services.js';
import { type VisibleStatus, visibleById } from '../visible.js';
import { accountCursor } from './eras.js';
import { isAskedFor } from './notifications.js';
import { type Page, readPage } from './page.js';

const MENTIONS = { types: ['mention'] };

/** Statuses that mention somebody, newest first, by the notifications that told of them: dismissed ones are gone. */
export async function mentionsTimeline(
  services: Services,
  viewer: string,
  bounds: PageBounds,
): Promise<Page<VisibleStatus>> {
  const cursor = accountCursor(services.tables, services.clock, notifications, 'notification', viewer, bounds);
  return readPage(cursor, bounds, async (rows) => {
    const wanted = rows.filter(({ value }) => isAskedFor(value, MENTIONS) && value.statusId !== undefined);
    const ids = wanted.map(({ value }) => value.statusId ?? '');
    const seen = await visibleById(services, viewer, ids, {
      hideBlocked: true,
      hideMuted: true,
      context: 'notifications',
    });
    const byRow = new Map(wanted.map((row, index) => [row, seen[index]]));
    return rows.map((row) => byRow.get(row));
  });
}
