import { directStatuses } from '../../store/tables.js';
import type { PageBounds } from '../http/paging.js';
import type { Services } from '../services.js';
import type { Soon } from '../soon.js';
import { type VisibleStatus, visibleById } from '../visible.js';
import { accountCursor } from './eras.js';
import { type Page, readPage } from './page.js';

/** Direct statuses that somebody sent and got, newest first. */
export function directTimeline(services: Services, viewer: string, bounds: PageBounds): Soon<Page<VisibleStatus>> {
  const cursor = accountCursor(services.tables, services.clock, directStatuses, 'status', viewer, bounds);
  return readPage(cursor, bounds, (rows) =>
    visibleById(
      services,
      viewer,
      rows.map(({ id }) => id),
      { hideBlocked: true, hideMuted: true, context: 'thread' },
    ),
  );
}
