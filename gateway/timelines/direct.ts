import { directStatuses } from '../../store/tables.js';
import type { PageBounds } from '../paging/bounds.js';
import { accountCursor } from '../paging/eras.js';
import { type Page, readPage } from '../paging/page.js';
import type { Soon } from '../paging/soon.js';
import { PLACES } from '../viewing/judge.js';
import type { ReadServices } from '../viewing/read-services.js';
import { visibleById } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';

/** Returns the direct statuses that the viewer sent or received, newest first. */
export function directTimeline(services: ReadServices, viewer: string, bounds: PageBounds): Soon<Page<VisibleStatus>> {
  const cursor = accountCursor(services.tables, services.clock, directStatuses, 'status', viewer, bounds);
  return readPage(cursor, bounds, (rows) =>
    visibleById(
      services,
      viewer,
      rows.map(({ id }) => id),
      PLACES.thread,
    ),
  );
}
